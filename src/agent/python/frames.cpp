// Walks the chain of this thread's own Python frames.
//
// The thread is in a C function that Python called, so its chain does not change under
// us, whether it holds the GIL or has let it go (torch lets go while it allocates).
// Only at the end of an interpreter can the state of a thread that has let go be freed
// by another; then each step is asked of the kernel first.

#include "agent/heap/system_call.h"
#include "agent/python/code_names.h"
#include "agent/python/python.h"
#include "agent/python/runtime.h"

namespace lowtide::agent {
namespace {

constexpr std::uint32_t kMaxSteps = 512;

class Walk {
 public:
  Walk(PythonStack& into, bool careful) : into_(into), careful_(careful) {}

  void run(const void* thread) {
    const void* frame = first_frame(thread);
    for (std::uint32_t steps = 0; frame != nullptr; ++steps) {
      if (steps == kMaxSteps || into_.count == wire::kMaxPythonFrames) {
        into_.cut = true;
        return;
      }
      if (!can_read(frame)) {
        return;
      }
      add(frame);
      frame = field<const void*>(frame, layout_.frame_previous);
    }
  }

 private:
  // Objects of Python are aligned to 8 and in the lower half of the address space.
  [[nodiscard]] bool can_read(const void* object) const {
    const auto address = reinterpret_cast<std::uintptr_t>(object);
    if ((address & 7U) != 0 || address < 4096 || (address >> 56U) != 0) {
      return false;
    }
    return !careful_ || (is_readable(address) && is_readable(address + 248));
  }

  const void* first_frame(const void* thread) {
    if (!can_read(thread)) {
      return nullptr;
    }
    const auto* frame = field<const void*>(thread, layout_.thread_frame);
    if (!layout_.through_c_frame) {
      return frame;
    }
    // The C frame is a variable of the function that runs Python.
    into_.anchor = reinterpret_cast<std::uintptr_t>(frame);
    return can_read(frame) ? field<const void*>(frame, layout_.c_frame_current) : nullptr;
  }

  void add(const void* frame) {
    if (layout_.first_shim_owner != 0 &&
        field<std::uint8_t>(frame, layout_.frame_owner) >= layout_.first_shim_owner) {
      mark_entry();  // from 3.12 on a shim lies between the called and the C that called it
      if (into_.anchor == 0) {
        into_.anchor = reinterpret_cast<std::uintptr_t>(frame);  // from 3.13 on: the shim is such a variable
      }
      return;
    }
    auto address = field<std::uintptr_t>(frame, layout_.frame_code);
    if (layout_.tagged_code) {
      address &= ~std::uintptr_t{3};
    }
    // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are numbers here
    const auto* code = reinterpret_cast<const void*>(address);
    if (!can_read(code) || field<const void*>(code, wire::kObjectType) != g_python.functions.code_type) {
      return;
    }
    const std::uint32_t number = number_of_code(code);
    into_.frames[into_.count++] = {number,
                                   line_of(code, number, byte_offset(frame, address)) & ~wire::kEntryFrame};
    const bool own_loop = layout_.first_shim_owner == 0;  // to 3.10
    if (own_loop ||
        (layout_.frame_is_entry != 0 && field<std::uint8_t>(frame, layout_.frame_is_entry) != 0)) {
      mark_entry();
    }
  }

  void mark_entry() {
    if (into_.count > 0) {
      into_.frames[into_.count - 1].line |= wire::kEntryFrame;
    }
  }

  [[nodiscard]] std::int64_t byte_offset(const void* frame, std::uintptr_t code) const {
    if (layout_.instruction_is_pointer) {
      return static_cast<std::int64_t>(field<std::uintptr_t>(frame, layout_.frame_instruction) -
                                       (code + layout_.code_instructions));
    }
    return static_cast<std::int64_t>(field<std::int32_t>(frame, layout_.frame_instruction)) *
           layout_.instruction_scale;
  }

  PythonStack& into_;
  bool careful_;
  const wire::PythonLayout& layout_ = g_python.layout;
};

}  // namespace

void read_python_stack(PythonStack& into) {
  const wire::PythonState state = python_state();
  if (state == wire::PythonState::Absent || state == wire::PythonState::UnknownVersion ||
      g_python.functions.is_initialized() == 0) {
    return;
  }
  const void* attached = g_python.functions.attached_thread();
  const void* own = g_python.functions.this_thread();
  // From 3.12 on, who is attached is a matter of the thread, also in a subinterpreter,
  // of which the other function knows nothing.
  const bool is_attached = attached != nullptr && (attached == own || g_python.layout.attached_is_own);
  const void* thread = is_attached ? attached : own;
  if (thread != nullptr) {
    Walk(into, !is_attached).run(thread);
  }
}

}  // namespace lowtide::agent

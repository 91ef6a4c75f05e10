// Wraps Python's allocators of small objects.
//
// pymalloc takes arenas from mmap and cuts them up: malloc never sees a dict. The
// wrappers are set from the first sample of a thread that holds the GIL of a Python
// that is up. Earlier they would not last (Python sets its allocators while it
// starts), and without the GIL another thread might be calling what we exchange. The
// thread is below a malloc or an mmap of its own at that moment, which pymalloc may have
// called: CPython has read the pointers that it is calling through, and nothing here
// allocates.

#include "agent/heap/channel.h"
#include "agent/heap/sample.h"
#include "agent/python/python.h"
#include "agent/python/wrappers.h"

namespace lowtide::agent {

constinit Wrapper g_mem = {{}, PythonDomain::Mem, wire::Source::PythonMem};
constinit Wrapper g_object = {{}, PythonDomain::Object, wire::Source::PythonObject};

namespace {

constinit std::atomic<std::uint32_t> g_setting{0};
// Samples since one came through our wrappers. Others on top of them are fine
// (tracemalloc, started after us, calls us); but one that was there before us and ends
// puts back what it found, and then frees pass us by. Both look the same from here,
// but only in the second case do we hear nothing more.
constinit std::atomic<std::uint32_t> g_missed{0};
constexpr std::uint32_t kMissedTooLong = 1024;

void* wrapped_malloc(void* context, std::size_t bytes) {
  const auto& wrapper = *static_cast<const Wrapper*>(context);
  if (t_thread.inside != 0) {
    return wrapper.real.malloc(wrapper.real.context, bytes);
  }
  void* block = nullptr;
  {
    HookScope scope;
    block = wrapper.real.malloc(wrapper.real.context, bytes);
  }
  note_allocation(block, bytes, wrapper.source);
  return block;
}

void* wrapped_calloc(void* context, std::size_t count, std::size_t bytes) {
  const auto& wrapper = *static_cast<const Wrapper*>(context);
  std::size_t total = 0;
  if (t_thread.inside != 0 || __builtin_mul_overflow(count, bytes, &total)) {
    return wrapper.real.calloc(wrapper.real.context, count, bytes);
  }
  void* block = nullptr;
  {
    HookScope scope;
    block = wrapper.real.calloc(wrapper.real.context, count, bytes);
  }
  note_allocation(block, total, wrapper.source);
  return block;
}

void* wrapped_realloc(void* context, void* block, std::size_t bytes) {
  const auto& wrapper = *static_cast<const Wrapper*>(context);
  if (t_thread.inside != 0) {
    return wrapper.real.realloc(wrapper.real.context, block, bytes);
  }
  Moving moving(block);
  void* moved = nullptr;
  {
    HookScope scope;
    moved = wrapper.real.realloc(wrapper.real.context, block, bytes);
  }
  if (moved == nullptr) {
    moving.failed();
    return nullptr;
  }
  moving.succeeded();
  note_allocation(moved, bytes, wrapper.source);
  return moved;
}

// The real free may go on to libc's free, which looks again and finds nothing.
void wrapped_free(void* context, void* block) {
  const auto& wrapper = *static_cast<const Wrapper*>(context);
  note_free(block);
  wrapper.real.free(wrapper.real.context, block);
}

}  // namespace

void wrap_all(Wrapper& wrapper) {
  PythonAllocator ours = {&wrapper, wrapped_malloc, wrapped_calloc, wrapped_realloc, wrapped_free};
  g_python.functions.set_allocator(wrapper.domain, &ours);
}

namespace {

void wrap() {
  g_python.functions.get_allocator(g_mem.domain, &g_mem.real);
  g_python.functions.get_allocator(g_object.domain, &g_object.real);
  if (!wrap_pymalloc()) {
    wrap_all(g_mem);
    wrap_all(g_object);
  }
}

bool is_wrapped(const Wrapper& wrapper) {
  PythonAllocator now = {};
  g_python.functions.get_allocator(wrapper.domain, &now);
  return now.context == &wrapper || is_in_front_of_pymalloc(now);
}

void set_state(wire::PythonState state) {
  g_python_state.store(state, std::memory_order_release);
  header()->agent.python_state.store(static_cast<std::uint32_t>(state), std::memory_order_release);
}

}  // namespace

// Python has read the pointers that it is calling through, so they may be exchanged;
// wrappers of others on top of the agent's stay, and so do the agent's.
void release_python_hooks(wire::Source source) {
  if ((source != wire::Source::PythonMem && source != wire::Source::PythonObject) ||
      python_state() != wire::PythonState::Full || g_python.free_threaded || !is_wrapped(g_mem) ||
      !is_wrapped(g_object)) {
    return;
  }
  g_python.functions.set_allocator(g_mem.domain, &g_mem.real);
  g_python.functions.set_allocator(g_object.domain, &g_object.real);
  release_arenas();
  g_python_state.store(wire::PythonState::Frames, std::memory_order_release);
  g_setting.store(0, std::memory_order_release);
}

void poll_python_hooks(wire::Source source) {
  constexpr std::uint32_t kLookEvery = 64;
  const wire::PythonState state = python_state();
  if (state == wire::PythonState::Frames) {
    if (holds_gil() && g_setting.exchange(1, std::memory_order_acquire) == 0) {
      wrap();
      set_state(wire::PythonState::Full);
    }
    return;
  }
  if (source == wire::Source::Mmap || source == wire::Source::SharedMmap) {
    return;  // does not show which allocator Python uses
  }
  if (source == wire::Source::PythonMem || source == wire::Source::PythonObject) {
    g_missed.store(0, std::memory_order_relaxed);
    return;
  }
  const std::uint32_t missed = g_missed.fetch_add(1, std::memory_order_relaxed) + 1;
  if (state == wire::PythonState::Full && missed % kLookEvery == 0 && holds_gil()) {
    if (is_wrapped(g_object) && is_wrapped(g_mem)) {
      g_missed.store(0, std::memory_order_relaxed);
    } else if (missed >= kMissedTooLong) {
      set_state(wire::PythonState::HooksLost);
    }
  }
}

}  // namespace lowtide::agent

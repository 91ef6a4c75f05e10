// Chooses the layout of the CPython that was found, and reads the table of offsets that it has itself.

#include "agent/heap/text.h"
#include "agent/python/runtime.h"

namespace lowtide::agent {
namespace {

bool makes_sense(const std::uint64_t* table, const wire::RuntimeTable& order) {
  const std::uint64_t* thread = table + order.thread;
  const std::uint64_t* frame = table + order.frame;
  const std::uint64_t* code = table + order.code;
  const bool thread_fits = thread[0] >= 100 && thread[0] < 4096 && thread[4] < thread[0] &&
                           thread[4] % 8 == 0 && thread[1] < thread[2] + 16 && thread[3] < 64;
  const bool frame_fits = frame[0] >= 64 && frame[0] < 256 && frame[1] == 8 && frame[2] == 0 &&
                          frame[3] < frame[0] && frame[3] >= 40 && frame[5] > frame[3] && frame[5] < frame[0];
  const bool code_fits = code[0] >= 150 && code[0] < 512 && code[1] + 8 == code[2] &&
                         code[2] + 8 == code[3] && code[5] < code[1] && code[9] > code[3] &&
                         code[9] <= code[0];
  return thread_fits && frame_fits && code_fits;
}

bool read_own_table(const wire::PythonVersion& python, const void* runtime, PythonRuntime& into) {
  const auto* letters = static_cast<const char*>(runtime);
  if (runtime == nullptr || after(letters, "xdebugpy") == nullptr) {
    return false;
  }
  std::uint64_t table[64];
  __builtin_memcpy(table, runtime, sizeof(table));
  if ((table[1] >> 16U) != python.number) {
    return false;
  }
  for (const wire::RuntimeTable& order : python.tables) {
    if (order.thread != 0 && makes_sense(table, order)) {
      into.layout.thread_frame = static_cast<std::uint16_t>(table[order.thread + 4]);
      into.layout.frame_previous = static_cast<std::uint16_t>(table[order.frame + 1]);
      into.layout.frame_code = static_cast<std::uint16_t>(table[order.frame + 2]);
      into.layout.frame_instruction = static_cast<std::uint16_t>(table[order.frame + 3]);
      into.layout.frame_owner = static_cast<std::uint16_t>(table[order.frame + 5]);
      into.layout.code_file = static_cast<std::uint16_t>(table[order.code + 1]);
      into.layout.code_function = static_cast<std::uint16_t>(table[order.code + 3]);
      into.layout.code_first_line = static_cast<std::uint16_t>(table[order.code + 5]);
      into.layout.code_instructions = static_cast<std::uint16_t>(table[order.code + 9]);
      into.free_threaded = table[2] != 0;
      return true;
    }
  }
  return false;
}

}  // namespace

bool find_layout(const void* runtime, PythonRuntime& into) {
  const wire::PythonVersion* python = wire::find_python(into.version);
  if (python == nullptr) {
    return false;
  }
  into.layout = python->layout;
  // The layouts are those of the usual build; a free-threaded one has others, and only its own table knows.
  return !python->has_own_table() || (read_own_table(*python, runtime, into) && !into.free_threaded);
}

}  // namespace lowtide::agent

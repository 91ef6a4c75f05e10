// Where CPython keeps what we read, version by version.
//
// 3.9 to 3.13 were taken from the headers of those versions by offsetof; tests/agent
// runs the agent under each that is installed. From 3.13 on _PyRuntime begins with a
// table of its own offsets, which counts more than ours: its order has changed from
// release to release, so it is read under each order that we know, and believed where
// it makes sense.

#include "agent/heap/text.h"
#include "agent/python/runtime.h"

namespace lowtide::agent {
namespace {

constexpr PythonOffsets kPython39 = {.thread_frame = 24,
                                     .c_frame_current = 0,
                                     .through_c_frame = false,
                                     .instruction_is_pointer = false,
                                     .instruction_scale = 1,
                                     .tagged_code = false,
                                     .frame_previous = 24,
                                     .frame_code = 32,
                                     .frame_instruction = 104,
                                     .frame_owner = 0,
                                     .first_shim_owner = 0,
                                     .frame_is_entry = 0,
                                     .code_file = 104,
                                     .code_function = 112,
                                     .code_first_line = 40,
                                     .code_instructions = 0,
                                     .text_ascii = 48,
                                     .text_compact = 72};

constexpr PythonOffsets kPython310 = {.thread_frame = 24,
                                      .c_frame_current = 0,
                                      .through_c_frame = false,
                                      .instruction_is_pointer = false,
                                      .instruction_scale = 2,
                                      .tagged_code = false,
                                      .frame_previous = 24,
                                      .frame_code = 32,
                                      .frame_instruction = 96,
                                      .frame_owner = 0,
                                      .first_shim_owner = 0,
                                      .frame_is_entry = 0,
                                      .code_file = 104,
                                      .code_function = 112,
                                      .code_first_line = 40,
                                      .code_instructions = 0,
                                      .text_ascii = 48,
                                      .text_compact = 72};

constexpr PythonOffsets kPython311 = {.thread_frame = 56,
                                      .c_frame_current = 8,
                                      .through_c_frame = true,
                                      .instruction_is_pointer = true,
                                      .instruction_scale = 1,
                                      .tagged_code = false,
                                      .frame_previous = 48,
                                      .frame_code = 32,
                                      .frame_instruction = 56,
                                      .frame_owner = 69,
                                      .first_shim_owner = 3,
                                      .frame_is_entry = 68,
                                      .code_file = 112,
                                      .code_function = 128,
                                      .code_first_line = 72,
                                      .code_instructions = 184,
                                      .text_ascii = 48,
                                      .text_compact = 72};

constexpr PythonOffsets kPython312 = {.thread_frame = 56,
                                      .c_frame_current = 0,
                                      .through_c_frame = true,
                                      .instruction_is_pointer = true,
                                      .instruction_scale = 1,
                                      .tagged_code = false,
                                      .frame_previous = 8,
                                      .frame_code = 0,
                                      .frame_instruction = 56,
                                      .frame_owner = 70,
                                      .first_shim_owner = 3,
                                      .frame_is_entry = 0,
                                      .code_file = 112,
                                      .code_function = 128,
                                      .code_first_line = 68,
                                      .code_instructions = 192,
                                      .text_ascii = 40,
                                      .text_compact = 56};

constexpr PythonOffsets kPython313 = {.thread_frame = 72,
                                      .c_frame_current = 0,
                                      .through_c_frame = false,
                                      .instruction_is_pointer = true,
                                      .instruction_scale = 1,
                                      .tagged_code = false,
                                      .frame_previous = 8,
                                      .frame_code = 0,
                                      .frame_instruction = 56,
                                      .frame_owner = 70,
                                      .first_shim_owner = 3,
                                      .frame_is_entry = 0,
                                      .code_file = 112,
                                      .code_function = 128,
                                      .code_first_line = 68,
                                      .code_instructions = 200,
                                      .text_ascii = 40,
                                      .text_compact = 56};

// Positions in the table of _PyRuntime, in words of 8 bytes.
struct TableOrder {
  std::uint32_t version;
  std::uint8_t thread;  // size prev next interp current_frame
  std::uint8_t frame;   // size previous executable instr_ptr localsplus owner
  std::uint8_t code;    // size filename name qualname linetable firstlineno .. +9 co_code_adaptive
};

constexpr TableOrder kOrders[] = {
    {0x030d, 19, 28, 34},
    {0x030e, 22, 31, 39},  // 3.14: two generations more in interpreter_state, two words more in the frame
    {0x030e, 22, 31, 38},
    {0x030e, 21, 30, 37},  // betas
    {0x030e, 20, 29, 36},
};

bool makes_sense(const std::uint64_t* table, const TableOrder& order) {
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

bool read_own_table(std::uint32_t version, const void* runtime, PythonRuntime& into) {
  const auto* letters = static_cast<const char*>(runtime);
  if (runtime == nullptr || after(letters, "xdebugpy") == nullptr) {
    return false;
  }
  std::uint64_t table[64];
  __builtin_memcpy(table, runtime, sizeof(table));
  if ((table[1] >> 16U) != version) {
    return false;
  }
  for (const TableOrder& order : kOrders) {
    if (order.version == version && makes_sense(table, order)) {
      into.offsets.thread_frame = static_cast<std::uint16_t>(table[order.thread + 4]);
      into.offsets.frame_previous = static_cast<std::uint16_t>(table[order.frame + 1]);
      into.offsets.frame_code = static_cast<std::uint16_t>(table[order.frame + 2]);
      into.offsets.frame_instruction = static_cast<std::uint16_t>(table[order.frame + 3]);
      into.offsets.frame_owner = static_cast<std::uint16_t>(table[order.frame + 5]);
      into.offsets.code_file = static_cast<std::uint16_t>(table[order.code + 1]);
      into.offsets.code_function = static_cast<std::uint16_t>(table[order.code + 3]);
      into.offsets.code_first_line = static_cast<std::uint16_t>(table[order.code + 5]);
      into.offsets.code_instructions = static_cast<std::uint16_t>(table[order.code + 9]);
      into.free_threaded = table[2] != 0;
      return true;
    }
  }
  return false;
}

}  // namespace

bool find_offsets(std::uint32_t version, const void* runtime, PythonRuntime& into) {
  switch (version) {
    case 0x0309:
      into.offsets = kPython39;
      return true;
    case 0x030a:
      into.offsets = kPython310;
      return true;
    case 0x030b:
      into.offsets = kPython311;
      return true;
    case 0x030c:
      into.offsets = kPython312;
      return true;
    case 0x030d:
    case 0x030e:
      // The tables of ours are those of the usual build; a free-threaded one has others,
      // and only its own table knows.
      into.offsets = kPython313;
      into.offsets.tagged_code = version >= 0x030e;
      return read_own_table(version, runtime, into) && !into.free_threaded;
    default:
      return false;
  }
}

}  // namespace lowtide::agent

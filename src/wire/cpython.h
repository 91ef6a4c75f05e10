// The versions of CPython that lowtide knows, and where each keeps what the agent reads.
//
// To support another version, add its layout and its row to kPythons. A version that differs in more than
// offsets also needs agent/python/layout.cpp, walk/roots.cpp or frames.cpp.
// Numbers were taken from the headers of each version by offsetof, for builds with a GIL on 64 bits;
// tests/agent and tests/snapshot run under each version that is installed. From 3.13 on _PyRuntime begins
// with a table of its own offsets, which counts more than the numbers here. The order of that table changes
// from release to release, so each order that is known is tried, and one whose numbers make sense is used
// (agent/python/layout.cpp).
//
// Offsets and sizes are in bytes. Only data: nothing here needs a library at run time.

#pragma once

#include <cstddef>
#include <cstdint>

namespace lowtide::wire {

// The members have the numbers of 3.9; a later layout says what differs from the one before.
struct PythonLayout {
  // Frames. A frame is a PyFrameObject to 3.10, a _PyInterpreterFrame after.
  std::uint16_t thread_frame = 24;    // in the thread state: the frame, or the C frame that has it
  std::uint16_t c_frame_current = 0;  // 3.11 and 3.12: in the C frame
  bool through_c_frame = false;
  bool instruction_is_pointer = false;  // from 3.11; before, a number
  std::uint8_t instruction_scale = 1;   // bytes to a unit of that number
  bool tagged_code = false;             // from 3.14: the low bits of the code's address are not part of it
  std::uint16_t frame_previous = 24;
  std::uint16_t frame_code = 32;
  std::uint16_t frame_instruction = 104;
  std::uint16_t frame_owner = 0;      // from 3.11
  std::uint8_t first_shim_owner = 0;  // owners from here on are no Python functions
  std::uint16_t frame_is_entry = 0;   // 3.11 alone
  bool attached_is_own = false;       // from 3.12: the attached thread state belongs to the calling thread

  std::uint16_t code_file = 104;
  std::uint16_t code_function = 112;
  std::uint16_t code_first_line = 40;
  std::uint16_t code_instructions = 0;
  bool code_has_qualname = false;  // from 3.11

  // Objects.
  std::uint16_t text_length = 16;
  std::uint16_t text_state = 32;
  std::uint16_t text_ascii = 48;    // where the letters of a compact ASCII text begin
  std::uint16_t text_compact = 72;  // and those of another compact one
  std::uint8_t number_shift = 0;    // flags below the count of digits; 0: its sign is that of the number
  std::uint16_t list_items = 24;
  std::uint16_t list_room = 32;
  std::uint16_t tuple_items = 24;
  std::uint16_t set_length = 24;
  std::uint16_t module_dict = 16;
  std::uint16_t lru_cache_entries = 72;
  std::uint16_t lru_cache_bound = 96;
  std::uint16_t deque_bound = 64;

  std::uint16_t dict_length = 16;
  std::uint16_t dict_keys = 32;
  std::uint16_t dict_values = 40;
  bool keys_have_logs = false;  // from 3.11: sizes of the keys are bytes with a logarithm
  std::uint16_t keys_references = 0;
  std::uint16_t keys_slots = 8;
  std::uint16_t keys_index_bytes = 0;
  std::uint16_t keys_kind = 0;  // 0: keys of all kinds, with their hashes
  std::uint16_t keys_head = 40;

  // Types.
  std::uint16_t type_name = 24;
  std::uint16_t type_basic_bytes = 32;
  std::uint16_t type_item_bytes = 40;
  std::uint16_t type_flags = 168;
  std::uint16_t type_traverse = 184;
  std::uint16_t type_members = 240;
  std::uint16_t type_getters = 248;
  std::uint16_t type_base = 256;
  std::uint16_t type_dict = 264;
  std::uint16_t type_dict_offset = 288;
  std::uint16_t type_is_collected = 328;
  std::uint64_t managed_dict_flag = 0;  // from 3.11: the dict lies before the object
  std::uint16_t managed_dict_head = 0;

  // The collector.
  std::uint16_t generation_bytes = 24;
  std::uint16_t enabled_before_generations = 12;  // to 3.9: the flag, an int, lies that far before them
};

inline constexpr PythonLayout kPython39 = {};

inline constexpr PythonLayout kPython310 = [] {
  PythonLayout next = kPython39;
  next.instruction_scale = 2;
  next.frame_instruction = 96;
  return next;
}();

inline constexpr PythonLayout kPython311 = [] {
  PythonLayout next = kPython310;
  next.thread_frame = 56;
  next.c_frame_current = 8;
  next.through_c_frame = true;
  next.instruction_is_pointer = true;
  next.instruction_scale = 1;
  next.frame_previous = 48;
  next.frame_instruction = 56;
  next.frame_owner = 69;
  next.first_shim_owner = 3;
  next.frame_is_entry = 68;
  next.code_file = 112;
  next.code_function = 128;
  next.code_first_line = 72;
  next.code_instructions = 184;
  next.code_has_qualname = true;
  next.keys_have_logs = true;
  next.keys_index_bytes = 9;
  next.keys_kind = 10;
  next.keys_head = 32;
  next.managed_dict_flag = 1U << 4U;
  next.managed_dict_head = 16;
  return next;
}();

inline constexpr PythonLayout kPython312 = [] {
  PythonLayout next = kPython311;
  next.c_frame_current = 0;
  next.frame_previous = 8;
  next.frame_code = 0;
  next.frame_owner = 70;
  next.frame_is_entry = 0;
  next.attached_is_own = true;
  next.code_first_line = 68;
  next.code_instructions = 192;
  next.text_ascii = 40;
  next.text_compact = 56;
  next.number_shift = 3;
  return next;
}();

inline constexpr PythonLayout kPython313 = [] {
  PythonLayout next = kPython312;
  next.thread_frame = 72;
  next.through_c_frame = false;
  next.code_instructions = 200;
  return next;
}();

inline constexpr PythonLayout kPython314 = [] {
  PythonLayout next = kPython313;
  next.tagged_code = true;
  next.tuple_items = 32;  // a hash lies before the items
  return next;
}();

// Positions in the table of _PyRuntime, in words of 8 bytes.
struct RuntimeTable {
  std::uint8_t thread;  // size prev next interp current_frame
  std::uint8_t frame;   // size previous executable instr_ptr localsplus owner
  std::uint8_t code;    // size filename name qualname linetable firstlineno .. +9 co_code_adaptive
};

struct PythonVersion {
  std::uint32_t number = 0;  // 0x030b is 3.11
  PythonLayout layout = {};
  RuntimeTable tables[4] = {};  // orders to try; the first is {}: it has no such table
  const char* tested = "";      // for the document

  [[nodiscard]] constexpr bool has_own_table() const { return tables[0].thread != 0; }
};

inline constexpr PythonVersion kPythons[] = {
    {0x0309, kPython39, {}, "by the tests"},
    {0x030a, kPython310, {}, "by the tests"},
    {0x030b, kPython311, {}, "by the tests"},
    {0x030c, kPython312, {}, "by the tests"},
    {0x030d, kPython313, {{19, 28, 34}}, "by the tests"},
    // Two generations more in interpreter_state, two words more in the frame; then the betas.
    {0x030e, kPython314, {{22, 31, 39}, {22, 31, 38}, {21, 30, 37}, {20, 29, 36}}, "by hand, with 3.14.10"},
};

// The first that has sys.remote_exec (PEP 768).
inline constexpr std::uint32_t kFirstRemoteExec = 0x030e;

constexpr const PythonVersion* find_python(std::uint32_t number) {
  for (const PythonVersion& python : kPythons) {
    if (python.number == number) {
      return &python;
    }
  }
  return nullptr;
}

// --- the same in every version ------------------------------------------------------------

inline constexpr std::size_t kPointerBytes = 8;
inline constexpr std::size_t kObjectType = 8;
inline constexpr std::size_t kObjectItems = 16;  // how many, of an object of variable size
inline constexpr std::size_t kObjectHead = 16;

// The state of a text: interned, then 3 bits for the kind, compact, ascii. How wide `interned` is depends on
// the release; a wrong guess gives no compact text of a valid kind.
inline constexpr std::uint32_t kTextStateShifts[] = {2, 8, 16};

// Hash, key and value; from 3.11 without the hash where all keys are texts.
inline constexpr std::size_t kDictEntryBytes = 24;
inline constexpr std::size_t kDictEntryWithoutHashBytes = 16;

// A text whose letters lie elsewhere has this behind the head of a compact one. Rare, and gone with 3.12.
inline constexpr std::size_t kTextElsewhereBytes = 16;

// The collector has this many generations. The list of frozen objects follows them; up to 3.13 a pointer lies
// in between.
inline constexpr std::size_t kGenerations = 3;
inline constexpr std::size_t kBeforeFrozen = kPointerBytes;

// PyMemberDef and PyGetSetDef begin with the name; a table ends with a null name.
inline constexpr std::size_t kMemberBytes = 40;
inline constexpr std::size_t kMemberKind = 8;
inline constexpr std::size_t kMemberOffset = 16;
inline constexpr std::int32_t kMemberObject = 6;
inline constexpr std::int32_t kMemberObjectOrError = 16;
inline constexpr std::size_t kGetterBytes = 40;

// The links that the collector puts before an object. Two low bits are flags.
struct CollectorLinks {
  std::uintptr_t next;
  std::uintptr_t previous;
};

namespace type_flag {
inline constexpr std::uint64_t kHeap = 1ULL << 9U;
inline constexpr std::uint64_t kCollected = 1ULL << 14U;
inline constexpr std::uint64_t kNumber = 1ULL << 24U;
inline constexpr std::uint64_t kList = 1ULL << 25U;
inline constexpr std::uint64_t kTuple = 1ULL << 26U;
inline constexpr std::uint64_t kText = 1ULL << 28U;
inline constexpr std::uint64_t kDict = 1ULL << 29U;
inline constexpr std::uint64_t kType = 1ULL << 31U;
}  // namespace type_flag

}  // namespace lowtide::wire

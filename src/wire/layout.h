// What an agent inside a process writes and the monitor reads: the layout of one
// memory file (memfd), and the message that hands it over.
//
//   header | ring of records | chunks of the live table
//
// The ring carries what is said once: a sampled allocation with its stack, the
// name of a Python function. It has many writers, one reader, and drops and
// counts when it is full. What must never get lost is not in it: whether a sample
// is still alive. That is a slot of the live table, which the agent clears when
// the block is freed. A reader that looks late sees the free late, but sees it,
// and a block that was freed before its record was read costs nothing to unwind.
//
// Both sides treat the other's bytes as hostile: copy, then check, then use.
// Nothing here needs a library at run time.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace lowtide::wire {

inline constexpr std::uint64_t kMagic = 0x31474154574f4cULL;  // "LOWTAG1"
inline constexpr std::uint32_t kVersion = 7;

// Where the agent finds the monitor's socket; absent: it stays asleep.
inline constexpr char kSocketVariable[] = "LOWTIDE_AGENT_SOCKET";
// Bytes between two samples on average, and samples per second; for tests.
inline constexpr char kMeanVariable[] = "LOWTIDE_AGENT_MEAN";
inline constexpr char kRateVariable[] = "LOWTIDE_AGENT_RATE";

// How many seccomp filters the monitor has; a process with more has installed its own.
inline constexpr char kFiltersVariable[] = "LOWTIDE_AGENT_FILTERS";

enum class Machine : std::uint16_t { Amd64 = 62, Aarch64 = 183 };  // as in ELF

enum class AgentState : std::uint32_t { Starting = 0, On = 1, Quiet = 2, Off = 3 };

enum class OffReason : std::uint32_t {
  None = 0,
  Sanitizer = 1,      // the target brings its own allocator checks
  Valgrind = 2,       // the same
  NoMemory = 3,       // no memory file could be had
  NoMonitor = 4,      // nobody listens at the socket
  NoAllocator = 5,    // the process has no malloc that we could pass calls on to
  Confused = 6,       // something that cannot be was seen
  PathTooLong = 7,    // the socket's path
  MonitorSilent = 8,  // quiet: nobody has read for a while
  OwnAllocator = 9,   // not off: the program defines malloc itself, so only mmap and Python are seen
  DetachAsked = 10,   // the monitor asked for it
  Seccomp = 11,       // the job installs a filter of system calls, which might kill it for ours
};

enum class PythonState : std::uint32_t {
  Absent = 0,
  Frames = 1,          // frames are read; the small objects are not seen (yet)
  Full = 2,            // frames, and the object allocators are wrapped
  UnknownVersion = 3,  // native stacks only
  HooksLost = 4,  // somebody took our wrappers out: live Python samples before that are not to be trusted
};

enum class Drop : std::uint32_t {
  RingFull = 0,   // an allocation that was sampled but could not be written
  TableFull = 1,  // told, but its free will not be known: not counted as live
  NoMonitor = 2,  // sampled while nobody was reading
  Mappings = 3,   // as TableFull, for mmap
  CodeName = 4,   // a Python function whose name could not be written
  Driver = 5,     // as RingFull and TableFull, of an allocation of the CUDA driver
  Count = 8,
};

enum class Source : std::uint8_t {
  Malloc = 0,
  Calloc = 1,
  Realloc = 2,
  Aligned = 3,
  Mmap = 4,
  PythonMem = 5,
  PythonObject = 6,
  SharedMmap = 7,  // memory that processes share: mapped once here, but perhaps elsewhere too
  // Of the CUDA driver, so no memory of the allocator:
  CudaAlloc = 8,     // cuMemAlloc and its relatives
  CudaCreate = 9,    // cuMemCreate on a GPU
  CudaAsync = 10,    // cuMemAllocAsync: out of a pool of the driver
  CudaHost = 11,     // pinned host memory that the driver has allocated
  CudaRegister = 12  // memory of the process that was pinned later: it is also in one of the above
};

constexpr bool is_of_driver(Source source) {
  return source >= Source::CudaAlloc && source <= Source::CudaRegister;
}

inline constexpr std::uint64_t kHeaderBytes = 65536;  // a page of every kernel; only its beginning is used
inline constexpr std::uint64_t kRingBytes = 2U << 20U;
inline constexpr std::uint32_t kStackBytes = 8192;
inline constexpr std::uint32_t kMaxPythonFrames = 96;
inline constexpr std::uint32_t kRegisters = 14;
inline constexpr std::uint32_t kMaxTextBytes = 512;
inline constexpr std::uint32_t kChunks = 4;
inline constexpr std::uint32_t kSlotsPerBucket = 7;

// Buckets of chunk k: 2048, then four times as many each.
constexpr std::uint64_t chunk_buckets(std::uint32_t chunk) {
  return 2048ULL << (2U * chunk);
}

// Seven slots and whether a sample that belonged here had to go on to the next
// bucket. The reader looks at `sample` alone.
struct Bucket {
  std::atomic<std::uint64_t> address[kSlotsPerBucket];
  std::atomic<std::uint64_t> overflowed;
  std::atomic<std::uint64_t> sample[kSlotsPerBucket];
  std::uint64_t unused;
};
static_assert(sizeof(Bucket) == 128);

constexpr std::uint64_t chunk_offset(std::uint32_t chunk) {
  std::uint64_t at = 0;
  for (std::uint32_t earlier = 0; earlier < chunk; ++earlier) {
    at += chunk_buckets(earlier) * sizeof(Bucket);
  }
  return at;
}

// A bit each.
enum class UnsolicitedSnapshot : std::uint32_t {
  OutOfMemory = 1,  // at such an error of a GPU
  AtEnd = 2,        // of the interpreter
};

// Written by the monitor alone.
struct alignas(64) MonitorPart {
  std::atomic<std::uint64_t> tail;         // bytes of the ring that were read, ever
  std::atomic<std::uint64_t> heartbeat;    // changes as long as somebody reads
  std::atomic<std::uint32_t> asked_off;    // not zero: the agent is to stop
  std::atomic<std::uint32_t> asked_trim;   // not zero: the agent is to make a trim trial, once
  std::atomic<std::uint32_t> asked_walk;   // rises: the agent is to let a child walk over the Python objects
  std::atomic<std::uint32_t> asked_marks;  // rises: steps and phases are wanted, and torch's counters now
  std::atomic<std::uint64_t> walk_before_ns;       // CLOCK_MONOTONIC: later it is not wanted any more
  std::atomic<std::uint32_t> allowed_unsolicited;  // of UnsolicitedSnapshot
  std::atomic<std::uint32_t> most_samples;         // per second; 0: the agent's own limit
  std::uint32_t more_unused[4];
};
static_assert(sizeof(MonitorPart) == 64);

enum class TrialState : std::uint32_t {
  None = 0,
  Running = 1,
  Done = 2,
  NotPossible = 3,  // the allocator in charge has no malloc_trim
};

// What a trim trial found; written by the agent alone, `state` last.
struct alignas(64) TrialPart {
  std::atomic<std::uint32_t> state;  // TrialState
  std::uint32_t unused;
  std::atomic<std::uint64_t> rss_before_bytes;  // 0: not known
  std::atomic<std::uint64_t> rss_after_bytes;
  std::atomic<std::uint64_t> trim_ns;       // in malloc_trim
  std::atomic<std::uint64_t> inspect_ns;    // in mallinfo2; 0: this libc has none
  std::atomic<std::uint64_t> arena_bytes;   // that the allocator had from the kernel, without single mappings
  std::atomic<std::uint64_t> free_bytes;    // of these, in no block
  std::atomic<std::uint64_t> mapped_bytes;  // in blocks that are mappings of their own: all in use
};
static_assert(sizeof(TrialPart) == 64);

// What became of the last walk that was asked for (wire/snapshot.h); written by the agent alone.
struct alignas(64) WalkPart {
  std::atomic<std::uint32_t> taken_up;  // the asked_walk that the interpreter has received
  std::atomic<std::uint32_t> done;      // and that which it has forked for, or refused
  std::atomic<std::int32_t> result;     // of `done`: a SnapshotResult, or the pause in microseconds
  std::atomic<std::uint32_t> fork_us;   // of the pause: on a processor, not waiting for one
  std::uint32_t unused[12];
};
static_assert(sizeof(WalkPart) == 64);

inline constexpr std::uint64_t kOwnSteps = 1ULL << 63U;  // the job counts them itself: lowtide.step()
inline constexpr std::uint32_t kMaxPhases = 8;
inline constexpr std::uint32_t kMaxPhaseName = 31;
inline constexpr std::uint32_t kMaxDevices = 16;
inline constexpr std::uint32_t kMaxOomStack = 8191;

enum class MarksState : std::uint32_t {
  None = 0,     // not asked for, or no Python is up
  Waiting = 1,  // the functions are there; torch is not, or not yet
  Hooked = 2,   // torch reports its steps and phases
  Failed = 3,   // this Python would not have them
};

// A phase of the trainer: train, eval, checkpoint, or one that the job has named.
struct PhasePart {
  char name[kMaxPhaseName + 1];      // written before `phases` rises; ends with a zero
  std::atomic<std::uint64_t> count;  // of visits
  std::atomic<std::uint64_t> took_ns;
  std::uint64_t unused[2];
};
static_assert(sizeof(PhasePart) == 64);

enum class Framework : std::uint32_t { Torch = 0, Jax = 1 };

// What the allocator of a framework has of a GPU.
struct DevicePart {
  std::atomic<std::uint64_t> allocated_bytes;
  std::atomic<std::uint64_t> reserved_bytes;
  std::atomic<std::uint64_t> inactive_split_bytes;  // reserved, free, and cut so that it fits not everything
  std::atomic<std::uint64_t> retries;               // times that it gave everything back and tried again
  std::atomic<std::uint64_t> ooms;
  std::atomic<std::uint64_t>
      total_bytes;  // that CUDA gives the process; 0: it was not asked, and the UUID is unknown
  std::atomic<std::uint64_t> uuid[2];    // of the GPU; of a MIG slice the GPU that it is part of
  std::atomic<std::uint64_t> framework;  // Framework
  std::uint64_t unused[7];
};
static_assert(sizeof(DevicePart) == 128);

// Steps, phases and counters of the trainer; written by the agent alone.
struct alignas(64) MarksPart {
  std::atomic<std::uint32_t> state;     // MarksState
  std::atomic<std::uint32_t> taken_up;  // the asked_marks that the interpreter has received
  std::atomic<std::uint32_t> done;      // and that which it has answered
  std::atomic<std::uint32_t> phase;     // that the job is in, from 1; 0: none
  std::atomic<std::uint64_t> steps;     // kOwnSteps may be set
  std::atomic<std::uint32_t> phases;
  std::atomic<std::uint32_t> devices;  // 0: torch has not begun with any
  std::atomic<std::uint64_t> pinned_bytes;
  std::atomic<std::uint64_t> spent_ns;          // in the interpreter, with the counters
  std::atomic<std::uint64_t> oom_wanted_bytes;  // when torch last ran out of a GPU's memory; 0: it has not
  std::atomic<std::uint64_t> oom_free_bytes;
  PhasePart phase_parts[kMaxPhases];
  DevicePart device_parts[kMaxDevices];
  char oom_stack[kMaxOomStack + 1];  // as marks.py writes it; ends with a zero, and may be cut
};
static_assert(sizeof(MarksPart) ==
              64 + kMaxPhases * sizeof(PhasePart) + kMaxDevices * sizeof(DevicePart) + kMaxOomStack + 1);

enum class DriverState : std::uint32_t {
  None = 0,      // nobody has asked for a function of the CUDA driver
  Followed = 1,  // its allocations are records of the ring
  Late = 2,      // it was loaded before the agent: others may hold its functions, so none is followed
};

inline constexpr std::uint32_t kMaxUnfollowed = 8;
inline constexpr std::uint32_t kMaxUnfollowedName = 39;

// What the CUDA driver was asked for; written by the agent alone.
struct alignas(64) DriverPart {
  std::atomic<std::uint32_t> state;       // DriverState
  std::atomic<std::uint32_t> unfollowed;  // functions that allocate and that the agent does not know
  std::atomic<std::uint64_t> allocations;
  std::atomic<std::uint64_t> failures;
  std::atomic<std::uint64_t> modules;   // of code: loaded and not unloaded
  std::atomic<std::uint64_t> unsized;   // arrays and nodes of graphs, made ever: their size is not known
  std::atomic<std::uint64_t> imported;  // blocks of other processes that were opened here
  std::uint64_t unused;
  char unfollowed_names[kMaxUnfollowed][kMaxUnfollowedName + 1];  // before `unfollowed` rises
};
static_assert(sizeof(DriverPart) == 64 + kMaxUnfollowed * (kMaxUnfollowedName + 1));

// Written by the agent alone.
struct alignas(64) AgentPart {
  std::atomic<std::uint32_t> state;           // AgentState
  std::atomic<std::uint32_t> reason;          // OffReason
  std::atomic<std::uint32_t> python_state;    // PythonState
  std::atomic<std::uint32_t> python_version;  // PY_VERSION_HEX >> 16, as 0x030b; 0: no Python
  std::atomic<std::uint64_t> mean_bytes;      // between two samples, now
  std::atomic<std::uint64_t> samples;         // allocations sampled, the dropped ones too
  std::atomic<std::uint64_t> sampled_bytes;   // the sum of their weights: an estimate of all bytes allocated
  std::atomic<std::uint64_t> frees;           // slots of the live table that were cleared
  std::atomic<std::uint64_t> sampling_ns;     // time spent with samples, as measured by the agent
  std::atomic<std::uint64_t> module_changes;  // calls of dlopen and dlclose: /proc/PID/maps may have changed
  std::atomic<std::uint64_t> chunks;          // of the live table in use
  std::atomic<std::uint64_t> drops[static_cast<std::size_t>(Drop::Count)];
  std::atomic<std::uint64_t> dropped_bytes[static_cast<std::size_t>(Drop::Count)];  // their weights
  std::atomic<std::uint64_t> ending_ns;  // CLOCK_MONOTONIC: since then the interpreter ends; 0: it does not
};
static_assert(sizeof(AgentPart) == 256);

struct Header {
  std::uint64_t magic;
  std::uint32_t version;
  Machine machine;
  std::uint16_t page_shift;
  std::uint64_t file_bytes;
  std::uint64_t ring_offset;
  std::uint64_t ring_bytes;  // a power of two
  std::uint64_t table_offset;
  std::uint64_t opened_ns;  // CLOCK_MONOTONIC of the target
  std::int32_t pid;         // as the target sees itself
  std::int32_t parent_pid;
  AgentPart agent;
  MonitorPart monitor;
  TrialPart trial;
  WalkPart walk;
  DriverPart driver;
  MarksPart marks;
};
static_assert(sizeof(Header) == 512 + sizeof(DriverPart) + sizeof(MarksPart));
static_assert(sizeof(Header) <= kHeaderBytes);

constexpr std::uint64_t file_bytes() {
  return kHeaderBytes + kRingBytes + chunk_offset(kChunks);
}

// --- records ----------------------------------------------------------------

enum class RecordKind : std::uint16_t { Allocation = 1, Code = 2 };

// The record at ring position p is there when `commit` is commit_word(p).
struct RecordHeader {
  std::uint64_t commit;
  std::uint32_t bytes;  // the whole record, a multiple of 8
  RecordKind kind;
  std::uint16_t unused;
};
static_assert(sizeof(RecordHeader) == 16);

constexpr std::uint64_t commit_word(std::uint64_t position) {
  return position ^ 0x9e3779b97f4a7c15ULL;
}

inline constexpr std::uint64_t kNoSlot = ~0ULL;

// Followed by python_frames x PythonFrame (innermost first), then stack_bytes of
// the stack from registers[1] (the stack pointer) upwards.
//
// registers: x86_64  rip rsp rbp rbx r12 r13 r14 r15, rest 0
//            aarch64 pc sp x29 x30 x19 .. x28
// taken inside the agent: its own frames come first and are to be left out.
struct AllocationRecord {
  RecordHeader header;
  std::uint64_t sample;   // counts from 1
  std::uint64_t time_ns;  // CLOCK_MONOTONIC of the target
  std::uint64_t address;
  std::uint64_t requested_bytes;
  std::uint64_t weight_bytes;  // for how many allocated bytes the sample stands
  std::uint64_t slot;          // alive while that slot holds `sample`; kNoSlot: not tracked
  std::int32_t tid;
  Source source;
  std::uint8_t phase;  // that the trainer was in: MarksPart::phase
  std::uint16_t python_frames;
  std::uint32_t stack_bytes;
  std::uint16_t python_cut;  // 1: there were more Python frames
  std::uint16_t device;      // of memory on a GPU: as CUDA numbers it in this process
  std::uint64_t registers[kRegisters];
};
static_assert(sizeof(AllocationRecord) == 192);

struct PythonFrame {
  std::uint32_t code;  // of an earlier Code record; 0: not known
  std::uint32_t line;  // 0: not known; kEntryFrame may be set
};

// Set in a frame's line: it was called from C, so the interpreter's loop of native
// frames ends with it. Several Python frames share one such loop from 3.11 on.
inline constexpr std::uint32_t kEntryFrame = 1U << 31U;
static_assert(sizeof(PythonFrame) == 8);

// Followed by file_bytes + function_bytes of UTF-8.
struct CodeRecord {
  RecordHeader header;
  std::uint32_t code;
  std::uint32_t first_line;
  std::uint32_t file_bytes;
  std::uint32_t function_bytes;
};
static_assert(sizeof(CodeRecord) == 32);

inline constexpr std::uint32_t kMaxRecordBytes =
    sizeof(AllocationRecord) + kMaxPythonFrames * sizeof(PythonFrame) + kStackBytes;

// A slot's number to its place.
constexpr std::uint64_t make_slot(std::uint32_t chunk, std::uint64_t bucket, std::uint32_t at) {
  return (static_cast<std::uint64_t>(chunk) << 56U) | (bucket << 8U) | at;
}

// --- the message ------------------------------------------------------------

// Sent once per process to the socket, with the memory file as SCM_RIGHTS; a
// process in which the agent stays off sends it without one. The sender's true
// pid is in SCM_CREDENTIALS.
struct Hello {
  std::uint64_t magic;
  std::uint32_t version;
  AgentState state;
  OffReason reason;
  std::int32_t pid;
  std::int32_t parent_pid;
  std::uint32_t python_version;
  std::uint64_t unused[3];
};
static_assert(sizeof(Hello) == 56);

static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<std::uint32_t>::is_always_lock_free);

}  // namespace lowtide::wire

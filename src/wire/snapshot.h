// What a walk over the Python objects of a process found: a file (memfd) of records.
//
//   header | record | record ...
//
// Written by a forked child of the target, which is alone in its memory and may die at any
// moment: the header says `complete` last. The reader takes every byte for hostile.

#pragma once

#include <cstdint>

namespace lowtide::wire {

//   int lowtide_agent_snapshot(const char* order);     a SnapshotResult, or the pause in microseconds
//
// order: socket path, then numbers, separated by newlines:
//   wait_ms  walk_ms  memory_mb
inline constexpr char kSnapshotFunction[] = "lowtide_agent_snapshot";

//   int lowtide_agent_reap(const char* order);         0
//
// Reaps the child that walks, if it has ended; with order kWaitAndReap, when it has ended.
inline constexpr char kReapFunction[] = "lowtide_agent_reap";
inline constexpr char kWaitAndReap[] = "wait";

// What the child that walks is called, from its first moment on.
inline constexpr char kWalkerName[] = "lowtide-walk";

// Negative, so that everything else is a pause.
enum class SnapshotResult : std::int32_t {
  NoPython = -1,        // no interpreter in the process
  UnknownPython = -2,   // a version that we do not know
  FreeThreaded = -3,    // without a GIL nothing holds still
  NotInitialized = -4,  // it has not begun, or has ended
  Busy = -5,            // the interpreter was not to be had in time
  NoFork = -6,          // the kernel refused
  NoFunctions = -7,     // a Python without the functions that we call
  Underway = -8,        // it forks: the child may have walked before the job goes on
};

inline constexpr std::uint64_t kSnapshotMagic = 0x31504e53574f4cULL;  // "LOWSNP1"
inline constexpr std::uint32_t kSnapshotVersion = 5;
inline constexpr std::uint64_t kMaxSnapshotBytes = 64ULL << 20U;
inline constexpr std::uint32_t kMaxPathBytes = 400;
inline constexpr std::uint32_t kMaxNameBytes = 200;
inline constexpr std::uint32_t kMaxDimensions = 12;

// What was done; a bit each.
enum class SnapshotPart : std::uint32_t {
  Walked = 1,        // every object was counted
  Dominators = 2,    // retained sizes are exact
  Holders = 4,       // paths were written
  Tensors = 8,       // torch was asked
  TorchThere = 16,   // torch is loaded
  OutOfMemory = 32,  // the walk's limit was reached: the counts are a lower bound
  OutOfRoom = 64,    // so was the file's: records are missing
  Complete = 128,
  AtEnd = 256,  // the interpreter is about to end
};

struct SnapshotHeader {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t parts;  // of SnapshotPart
  std::int32_t pid;     // of the target, as it sees itself
  std::uint32_t python_version;
  std::uint64_t forked_ns;  // CLOCK_MONOTONIC
  std::uint64_t walk_ns;    // to count every object
  std::uint64_t dominator_ns;
  std::uint64_t name_ns;  // paths
  std::uint64_t tensor_ns;
  std::uint64_t objects;
  std::uint64_t object_bytes;          // of the objects themselves, with what arrays own
  std::uint64_t storage_bytes;         // of tensors in host memory, each storage once
  std::uint64_t device_bytes;          // the same, of tensors on devices
  std::uint64_t table_bytes;           // that the walk itself needed
  std::uint64_t cuda_allocated_bytes;  // by torch or JAX on all GPUs, when the walk began; 0: unknown
  std::uint64_t cuda_reserved_bytes;
  std::uint64_t used_bytes;  // of the file
};
static_assert(sizeof(SnapshotHeader) == 128);

enum class SnapshotRecordKind : std::uint32_t {
  Type = 1,
  Tensors = 2,
  Node = 3,
  Content = 4,
  Use = 5,
  Blocks = 6,
  Profile = 7
};

struct SnapshotRecord {
  SnapshotRecordKind kind;
  std::uint32_t bytes;  // the whole record, a multiple of 8
};

// Followed by the name.
struct TypeRecord {
  SnapshotRecord record;
  std::uint64_t count;
  std::uint64_t bytes;
  std::uint32_t name_bytes;
  std::uint32_t unused;
};
static_assert(sizeof(TypeRecord) == 32);

// Tensors that look alike. Followed by device and dtype.
struct TensorsRecord {
  SnapshotRecord record;
  std::uint64_t count;
  std::uint64_t bytes;          // of their elements
  std::uint64_t storages;       // that no other group has counted
  std::uint64_t storage_bytes;  // of these
  std::uint32_t requires_grad;
  std::uint32_t dimensions;  // kMaxDimensions at most; more were cut
  std::int64_t shape[kMaxDimensions];
  std::uint32_t device_bytes;
  std::uint32_t dtype_bytes;
};
static_assert(sizeof(TensorsRecord) == 152);

enum class NodeKind : std::uint32_t {
  Plain = 0,
  BoundedCache = 1,    // `bound` says how much it may hold
  UnboundedCache = 2,  // functools.lru_cache(maxsize=None), functools.cache
};

// An object that keeps others alive. Followed by type, path, file.
struct NodeRecord {
  SnapshotRecord record;
  std::uint64_t address;
  std::int64_t length;           // -1: has none
  std::uint64_t retained_bytes;  // in host memory
  std::uint64_t device_bytes;    // on devices, by tensors
  std::uint64_t retained_objects;
  std::int64_t bound;  // of a cache
  NodeKind kind;
  std::uint32_t holder;  // which earlier node keeps this one; kNoHolder: none in the file
  std::uint32_t depth;   // names in the path
  std::uint32_t line;    // of the frame whose local it is; 0: not one's
  std::uint32_t type_bytes;
  std::uint32_t path_bytes;
  std::uint32_t file_bytes;
  std::uint32_t unused;
};
static_assert(sizeof(NodeRecord) == 88);

inline constexpr std::uint32_t kNoHolder = ~0U;

// Objects of one type that a node holds, without those that a node below it holds.
struct ContentRecord {
  SnapshotRecord record;
  std::uint32_t node;  // in the order of the node records
  std::uint32_t type;  // in the order of the type records
  std::uint64_t count;
  std::uint64_t bytes;            // of the objects and of the storages of tensors, on host and devices
  std::uint64_t graph_functions;  // of autograd graphs, also those without a Python object
};
static_assert(sizeof(ContentRecord) == 40);

enum class TensorUse : std::uint32_t {
  Other = 0,
  Parameter = 1,  // a torch.nn.Parameter
  Gradient = 2,   // of a parameter
  Saved = 3,      // found first through a function of an autograd graph
};

// Storages of one use that a node holds, without those that a node below it holds. Uses of `Other` are left
// out.
struct UseRecord {
  SnapshotRecord record;
  std::uint32_t node;  // in the order of the node records; kNoHolder: none of them holds it
  TensorUse use;
  std::uint64_t host_bytes;
  std::uint64_t device_bytes;
};
static_assert(sizeof(UseRecord) == 32);

inline constexpr std::uint32_t kMaxBlocksText = 32768;

// What torch's CUDA allocator had at this moment. Followed by lines of text, as agent/python/gpu_blocks.py
// writes them; the last one may be cut.
struct BlocksRecord {
  SnapshotRecord record;
  std::uint32_t text_bytes;
  std::uint32_t unused;
};
static_assert(sizeof(BlocksRecord) == 16);

inline constexpr std::uint32_t kMaxProfileBytes = 1U << 20U;

// The heap profile of JAX at that moment. Followed by it, in the format of pprof.
struct ProfileRecord {
  SnapshotRecord record;
  std::uint32_t profile_bytes;
  std::uint32_t unused;
};
static_assert(sizeof(ProfileRecord) == 16);

// Sent to the socket when the walk begins, with the file as SCM_RIGHTS: one that dies gives what it had.
struct SnapshotHello {
  std::uint64_t magic;
  std::uint32_t version;
  std::int32_t pid;  // of the target, as it sees itself
  std::uint64_t bytes;
};
static_assert(sizeof(SnapshotHello) == 24);

}  // namespace lowtide::wire

// What the reports advise, in one place. The advice about variables that grow is in held/held_causes.cpp.
// {} is filled in where it is used.
#pragma once

namespace lowtide::explain::advice {

inline constexpr const char* kNone = "none needed";

// Growth whose cause is not known in detail.
inline constexpr const char* kLeak =
    "find what is kept from step to step: lists of losses or outputs, caches without a limit, hooks and "
    "closures";
inline constexpr const char* kPhase = "find what the code of phase {} appends to or stores";
inline constexpr const char* kProcesses =
    "end processes that are no longer needed (wait() or terminate()), and create pools and DataLoaders once, "
    "not in every epoch";

// A line of code that allocates.
inline constexpr const char* kObjects =
    "find what keeps the result of this line (a list, cache, closure or thread), and remove entries or "
    "limit its size";
inline constexpr const char* kUnheld =
    "find what keeps the result of this line: a running thread, a generator, a callback (`atexit.register`, "
    "`register_hook`), or an extension that leaks references{}";
inline constexpr const char* kMostlyFreed =
    "run longer: most of what this line allocates is freed (objects in reference cycles only when the "
    "garbage "
    "collector runs)";
inline constexpr const char* kRunningCalls =
    "let the threads, generators or tasks that run `{}()` end: a wait without a limit keeps their variables";
inline constexpr const char* kItemsOfLikely = "remove entries of {} that are no longer needed";
inline constexpr const char* kNative =
    "free the memory that this call returns, or call the release function of the library";
// {0}: a C function that the job calls through ctypes or cffi; {1}: its library.
inline constexpr const char* kReleaseCall =
    "call the function of {1} that releases what `{0}()` allocates, on every way out of the code, also after "
    "an error";
inline constexpr const char* kLibrary =
    "an object of {0} may keep it: limit its size, or use a new object from time to time; if there is none, "
    "it is "
    "probably a leak in {0}: try another version";
inline constexpr const char* kLibraryObject =
    "`{0}` may keep what `{1}()` gives it: limit its size, or use a new object; otherwise it is probably a "
    "leak "
    "in {2}: try another version";
inline constexpr const char* kObjectsOfLibrary = "remove what {0} no longer needs";
// {}: a variable, the object whose private part it is.
inline constexpr const char* kPrivatePart =
    "{0} is a private part of `{1}`: use what `{1}` has to remove entries, or to limit its size";
inline constexpr const char* kByteArray =
    "clear {} when its bytes are no longer needed, for example after they were written, or limit its size";
// {}: a variable of the user, the library of its type.
inline constexpr const char* kObjectOfPackage =
    "remove from {} what is no longer needed, with the methods that {} has for it, or use a new object";
// {}: a variable inside a library, its library.
inline constexpr const char* kRegistryOfLibrary =
    "{0} belongs to {1}: call what {1} has to close or release such objects";
// Without argtypes, ctypes passes a pointer as an int of 32 bits, and free() crashes.
inline constexpr const char* kFreeCall =
    "free this memory when it is no longer needed (with ctypes, first set `argtypes` of `free` to "
    "`[c_void_p]`)";
inline constexpr const char* kSharedLine =
    "this memory is shared between processes and stays until no process maps it: store a copy (`.clone()`) "
    "instead, and close and unlink segments that are no longer used";

// Shared memory.
inline constexpr const char* kMappedSegments =
    "drop batches from DataLoader workers after use, and unlink segments that are no longer used";
inline constexpr const char* kUnmappedSegments =
    "delete files in /dev/shm, call unlink() on SharedMemory, close memfds, and remove System V segments "
    "when "
    "they are no longer used";
inline constexpr const char* kUnmappedFiles = "delete the files when they are no longer used";
// {}: names of files, more about blocks of SharedMemory.
inline constexpr const char* kUnmappedFilesLike = "delete files like {} when they are no longer used{}";
inline constexpr const char* kSharedMemoryBlocks =
    "call unlink() on each multiprocessing `SharedMemory` when it is no longer used";
inline constexpr const char* kUnmappedSystemV =
    "remove System V segments when they are no longer used: detaching from one does not remove it";
inline constexpr const char* kUnmappedMemfds =
    "close the descriptors of memfds, and unmap them, when they are no longer used";
inline constexpr const char* kOtherSegments =
    "if this job creates segments in /dev/shm, unlink them; otherwise they belong to another job";
// {}: kCopiedObjects or kCopiedPages.
inline constexpr const char* kBoundedCopyOnWrite = "none needed if there is memory for that; otherwise {}";
inline constexpr const char* kCopiedObjects =
    "store the dataset in NumPy, Arrow or one bytes object instead of Python objects, or use fewer workers";
inline constexpr const char* kCopiedPages =
    "do not write to memory from before the fork (store Python objects in NumPy, Arrow or one bytes object), "
    "or use fewer processes";

// The allocator.
inline constexpr const char* kSharedGraph =
    "detach tensors before they are stored or carried to the next step";
inline constexpr const char* kCarriedState = "detach `{}` between steps";
inline constexpr const char* kFirstTouch =
    "none needed if there is memory for all of it; otherwise allocate less";
inline constexpr const char* kRetention =
    "set MALLOC_TRIM_THRESHOLD_=65536 and MALLOC_MMAP_THRESHOLD_=65536 in the environment of the job, call "
    "malloc_trim(0) after a phase that frees much, or preload jemalloc or tcmalloc";
inline constexpr const char* kRetentionThatEnded =
    "none needed; to get this memory back, ";  // and kRetention
inline constexpr const char* kThreadArenas =
    "set MALLOC_ARENA_MAX=2 in the environment of the job, use fewer threads, or preload jemalloc or "
    "tcmalloc";
inline constexpr const char* kTrim =
    "call malloc_trim(0) after a phase that frees much, or set MALLOC_TRIM_THRESHOLD_=65536";

// GPUs.
inline constexpr const char* kTensors =
    "find tensors that are kept from step to step: losses without .item(), outputs in lists";
inline constexpr const char* kArrays =
    "find arrays that are kept from step to step: outputs in lists, metrics that are not converted to "
    "numbers";
inline constexpr const char* kFragmentation =
    "set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, or use batches of fixed shapes; del and "
    "empty_cache() do not remove fragmentation";
inline constexpr const char* kOutsideTorch =
    "check libraries that allocate GPU memory themselves: NCCL, cuDNN, cuBLAS workspaces, custom kernels";
inline constexpr const char* kPinned =
    "use fewer batches in flight (prefetch_factor, num_workers) and batches of fixed shapes, and do not pin "
    "tensors that you keep";
inline constexpr const char* kGpuPeak =
    "lower the peak on the GPU: smaller batches, shorter sequences, gradient checkpointing or mixed "
    "precision";
inline constexpr const char* kLimitOfTorch =
    "the GPU had enough free memory: look for `torch.cuda.set_per_process_memory_fraction`, and raise or "
    "remove it; otherwise lower the peak (smaller batches, shorter sequences, gradient checkpointing)";
inline constexpr const char* kGpuLeakFirst = "fix the leak; a smaller batch only delays the failure";

// Memory that does not grow.
inline constexpr const char* kEvaluationPeak =
    "none needed; for a lower peak, compute the metric batch by batch instead of collecting all outputs";
inline constexpr const char* kGarbage =
    "none needed; if it is garbage in reference cycles, break the cycles (for example with weakref), or call "
    "gc.collect() once per epoch";
inline constexpr const char* kOwnOfWorkers = "none needed; each of them has only {} of its own";
inline constexpr const char* kFewerWorkers = "none needed; fewer workers would save memory";
inline constexpr const char* kRespawnedWorkers =
    "none needed; workers that stay alive start only once (DataLoader: `persistent_workers=True`)";

// The end of a run.
inline constexpr const char* kLeakFirst = "fix the leak; more memory only delays the kill";
inline constexpr const char* kHostPeak = "raise the limit above the peak, or lower the peak";
inline constexpr const char* kCheckpoint = "save a checkpoint before that";
inline constexpr const char* kFullShm =
    "delete files in /dev/shm that are no longer needed, or make it larger (`docker run --shm-size 8g`, or "
    "`mount -o remount,size=8g /dev/shm`)";
inline constexpr const char* kFullTmpfs =
    "delete files in it that are no longer needed, make it larger (`mount -o remount,size=8g`), or write "
    "them to a "
    "disk";
inline constexpr const char* kDiskFull = "write the recording to a disk with free space: --output FILE";

}  // namespace lowtide::explain::advice

#include "explain/findings/held/held_causes.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

namespace lowtide::explain {
namespace {

constexpr const char* kFlatAndSameLength =
    "the floor stops rising within a few steps, and {0} keeps its length";
constexpr const char* kFlatButLonger =
    "the floor stops rising within a few steps, while {0} still gets longer";

// From causes that are seen in what the variable holds to those that the code around it shows. A name of a
// variable is no evidence.
constexpr std::array<HeldCause, 24> kCauses{{
    {"hooks-kept", "hooks are registered again and again, and none is removed",
     "its dict of hooks gets longer, and each hook keeps what it refers to",
     "register the hook once, or call `remove()` on the handle that its registration returned", "",
     "the floor stops rising, and steps do not get slower",
     [](const HolderFeatures& features) { return features.keeps_hooks; }},
    {"default-value-kept", "the default value of a parameter keeps what calls add to it",
     "a default value is created once, with the function, and all calls share it",
     "use `None` as the default value and create the object in each call, or limit the size of {0}", "",
     kFlatAndSameLength,
     [](const HolderFeatures& features) { return features.is_default && features.has_length; }},
    {"tracebacks-kept", "exceptions are kept with their tracebacks",
     "it holds exceptions with tracebacks; a traceback holds every local variable of its frames",
     "store the text of each exception, str(error) or traceback.format_exc(), not the exception", "",
     kFlatButLonger, [](const HolderFeatures& features) { return features.keeps_tracebacks; }},
    {"hidden-state-chain", "a tensor keeps the autograd graph of every earlier step",
     "it is one tensor, and its autograd graph reaches back through every earlier step",
     "detach {0} between steps", "{0} = {0}.detach()",
     "the floor stops rising, and so does the time per step",
     [](const HolderFeatures& features) { return features.is_tensor && features.keeps_graphs; }, true},
    {"views-kept", "each item is a small view, which keeps the memory of a whole tensor",
     "the elements of its tensors are less than a tenth of the memory that they keep",
     "store a copy of each part (`.clone()`), so that the whole tensor is freed", "", kFlatButLonger,
     [](const HolderFeatures& features) { return features.keeps_views; }},
    {"hook-keeps-activations", "a module hook stores activations",
     "it holds tensors, and they are allocated in a function that a module calls as a hook",
     "keep only the latest activation or a small result, or remove the hook with handle.remove()", "",
     kFlatAndSameLength,
     [](const HolderFeatures& features) { return features.stack.is_in_hook && features.keeps_tensors; }},
    {"closures-kept", "functions are kept, and each keeps the variables that it captured",
     "each new item came with a function and a closure cell",
     "remove functions from {0} after they have run, or capture numbers, not tensors or arrays", "",
     kFlatAndSameLength, [](const HolderFeatures& features) { return features.keeps_closures; }},
    {"timers-kept", "timers that wait in the event loop keep their arguments and their context",
     "the event loop gained timers (`call_later()` or `call_at()`); one that was not cancelled keeps what it "
     "has until its time",
     "cancel timers that are no longer needed (`handle.cancel()`), shorten their delay, or start them from a "
     "context without "
     "the data",
     "", "the floor stops rising", [](const HolderFeatures& features) { return features.keeps_timers; }},
    {"pinned-memory-kept", "tensors in pinned host memory are kept",
     "the pinned host memory that torch counts grew with it",
     "drop each tensor when its copy to the GPU has finished, or reuse a few pinned buffers", "",
     "pinned host memory stops growing", [](const HolderFeatures& features) { return features.is_pinned; }},
    {"shared-batches-kept", "tensors in shared memory are kept",
     "the shared memory of the process grew with it; each tensor pins a segment and a file descriptor",
     "drop these tensors after use, or keep only the last few", "", "/dev/shm stops growing",
     [](const HolderFeatures& features) {
       return features.is_shared && features.has_workers && features.keeps_tensors;
     }},
    {"one-rank-differs", "one of several equal processes keeps it, the others do not",
     "the processes that run the same code stayed flat",
     "remove entries from {0} when they are no longer needed, or limit its size", "",
     "all of these processes use the same memory",
     [](const HolderFeatures& features) {
       return features.others_are_flat &&
              (features.role == model::ProcessRole::Rank || features.role == model::ProcessRole::Trainer ||
               !features.stack.is_in_getitem);
     }},
    {"worker-cache", "a worker process keeps what it has read",
     "it is filled in `__getitem__` of a worker process, so each worker has its own copy",
     "limit the size of {0}, or fill it before the workers start so that they share it", "",
     "the memory of the workers stops rising within an epoch",
     [](const HolderFeatures& features) {
       return features.role == model::ProcessRole::Worker && features.stack.is_in_getitem &&
              features.stack.is_fetched;
     }},
    {"loss-graph-kept", "tensors are kept with their autograd graphs",
     "functions of autograd graphs came with the tensors; each tensor keeps the graph that it came from",
     "keep numbers instead of tensors (`.item()`, or a mean), or, if backward() needs them, clear {0} after "
     "it; `.detach()` frees the graphs, but the tensors stay",
     "", kFlatButLonger,
     [](const HolderFeatures& features) { return features.has_length && features.keeps_graphs; }},
    {"growing-tensor", "the tensor or array itself gets larger",
     "one tensor or array is as large as what the variable retains",
     "if {0} collects results, store numbers or write them to disk; if it is a buffer, allocate it once with "
     "its largest size",
     "", "the floor stops rising", [](const HolderFeatures& features) { return features.is_own_storage; }},
    {"checkpoint-copies", "copies of the model state are kept",
     "it holds state dicts, one for each copy of the parameters",
     "keep one state in memory (the best, or a running average), and write the others to disk with "
     "torch.save()",
     "", kFlatAndSameLength,
     [](const HolderFeatures& features) {
       return features.keeps_state_dicts && features.stack.copies_state;
     }},
    {"writer-backlog", "tasks are submitted to an executor faster than they are run",
     "its tasks that have not run get more and more, and each keeps its arguments",
     "submit a task only when few are waiting: wait for earlier ones (`concurrent.futures.wait`), or acquire "
     "a "
     "semaphore that each task releases",
     "", "the number of waiting tasks stays below its limit",
     [](const HolderFeatures& features) { return features.has_waiting_tasks; }},
    {"writer-backlog", "a queue is filled faster than it is emptied", "it is a queue, and it gets longer",
     "use `queue.Queue(maxsize=...)`, so that the producer waits: a SimpleQueue has no limit", "",
     "the length of {0} stays below its limit",
     [](const HolderFeatures& features) { return features.is_queue && features.is_simple_queue; }},
    {"writer-backlog", "a queue is filled faster than it is emptied", "it is a queue, and it gets longer",
     "limit the size of the queue so that the producer waits: pass `maxsize`", "",
     "the length of {0} stays below its limit",
     [](const HolderFeatures& features) { return features.is_queue; }},
    {"validation-outputs-kept", "validation outputs are kept", "it grows in the validation phase",
     "clear it when validation ends", "{0}.clear()", kFlatAndSameLength,
     [](const HolderFeatures& features) { return features.has_length && features.is_of_evaluation; }},
    {"validation-outputs-kept", "it keeps what `{1}()` allocates", "`{1}()` allocates what it holds",
     "clear it at the end of each evaluation", "{0}.clear()", kFlatAndSameLength,
     [](const HolderFeatures& features) {
       // validate() may also check the input.
       const bool is_check = features.stack.evaluation.find("valid") != std::string::npos;
       return features.has_length && !features.stack.is_training && !features.stack.evaluation.empty() &&
              (features.keeps_tensors || !is_check);
     }},
    {"unbounded-cache", "a cache without a limit keeps every result",
     "it is a `functools` cache that was declared without a limit",
     "give the cache a limit, for example `@functools.lru_cache(maxsize=128)`", "",
     "the floor stops rising when the cache is full",
     [](const HolderFeatures& features) { return features.is_unbounded; }},
    {"logger-history", "a logger keeps every entry", "it belongs to an object of a logger class",
     "drop old entries, or store less in each", "del {0}[:-100]", kFlatButLonger,
     [](const HolderFeatures& features) {
       return features.has_length && features.owner.has_any({"logger"});
     }},
    {"dataset-cache", "a dataset keeps every sample that it returned",
     "the DataLoader calls `__getitem__`, which fills it, and nothing is removed",
     "do not keep every sample in {0}, or limit its size", "", "the floor stops rising within an epoch",
     [](const HolderFeatures& features) {
       return features.stack.is_in_getitem && features.stack.is_fetched;
     }},
    {"dataset-cache", "each call of `__getitem__` adds to it",
     "it is filled in `__getitem__`, and nothing is removed",
     "do not store in {0} at each access, or limit its size", "", kFlatAndSameLength,
     [](const HolderFeatures& features) { return features.stack.is_in_getitem; }},
}};

// docs/causes.md has the causes in the order of kFindings and says that the first one that matches counts.
consteval bool is_documented_order() {
  const auto* row = std::begin(model::kFindings);
  const auto is_next = [&](std::string_view id) {
    return row != std::end(model::kFindings) && row->theme == model::FindingTheme::Variable && row->id == id;
  };
  std::string_view before;
  for (const HeldCause& cause : kCauses) {
    const std::string_view id = cause.id;
    if (id != before && !is_next(id)) return false;
    if (id != before) ++row;
    before = id;
  }
  return is_next("holder");
}
static_assert(is_documented_order());

constexpr HeldCause kPlain{
    "holder", "",
    "",       "remove entries from {0} when they are no longer needed, or limit its size",
    "",       kFlatAndSameLength,
    nullptr};
constexpr HeldCause kPlainObject{
    "holder", "",
    "",       "find what {0} keeps from step to step, and drop it when it is no longer needed",
    "",       "the floor stops rising",
    nullptr};

}  // namespace

const HeldCause& cause_of(const HolderFeatures& features) {
  const auto* proven = std::find_if(kCauses.begin(), kCauses.end(),
                                    [&](const HeldCause& cause) { return cause.is_proven(features); });
  if (proven != kCauses.end()) return *proven;
  return features.has_length ? kPlain : kPlainObject;
}

}  // namespace lowtide::explain

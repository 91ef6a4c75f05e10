#include "explain/findings/held/held_causes.h"

#include <algorithm>
#include <array>

namespace lowtide::explain {
namespace {

constexpr const char* kFlatAndSameLength =
    "the floor stops rising within a few steps, and {0} keeps its length";
constexpr const char* kFlatButLonger =
    "the floor stops rising within a few steps, while {0} still gets longer";

bool always(const HolderFeatures& /*features*/) {
  return true;
}
bool never(const HolderFeatures& /*features*/) {
  return false;
}

// From causes that cannot be mistaken to those that only a name suggests.
constexpr std::array<HeldCause, 17> kCauses{{
    {"tracebacks-kept", "exceptions are kept with their tracebacks",
     "it holds exceptions with tracebacks; a traceback holds every local variable of its frames",
     "store the text of each exception, str(error) or traceback.format_exc(), not the exception", "",
     kFlatButLonger, [](const HolderFeatures& features) { return features.keeps_tracebacks; }, always},
    {"hidden-state-chain", "a tensor keeps the autograd graph of every earlier step",
     "it is one tensor, and its autograd graph reaches back through every earlier step",
     "detach {0} between steps", "{0} = {0}.detach()",
     "the floor stops rising, and so does the time per step",
     [](const HolderFeatures& features) { return features.is_tensor && features.keeps_graphs; }, always},
    {"hook-keeps-activations", "a module hook stores activations",
     "the memory is allocated in a function that a module calls as a hook",
     "keep only the latest activation or a small result, or remove the hook with handle.remove()", "",
     kFlatAndSameLength,
     [](const HolderFeatures& features) {
       return features.is_in_hook || features.names.has_any({"hook", "hooks", "activation", "activations"}) ||
              features.functions.has_any({"hook"});
     },
     [](const HolderFeatures& features) { return features.is_in_hook; }},
    {"closures-kept", "callbacks are kept, and each keeps the variables that it captured",
     "each new item came with one new function and one new closure cell",
     "clear {0} after its callbacks have run, or capture numbers, not tensors", "", kFlatAndSameLength,
     [](const HolderFeatures& features) { return features.keeps_closures; }, always},
    {"pinned-memory-kept", "tensors in pinned host memory are kept",
     "the pinned host memory that torch counts grew with it",
     "drop each tensor when its copy to the GPU has finished, or reuse a few pinned buffers", "",
     "pinned host memory stops growing", [](const HolderFeatures& features) { return features.is_pinned; },
     always},
    {"shared-batches-kept", "batches from DataLoader workers are kept in shared memory",
     "the shared memory of the process grew with it; each batch pins a segment and a file descriptor",
     "drop batches after use, or keep only the last few", "", "/dev/shm stops growing",
     [](const HolderFeatures& features) { return features.is_shared && features.has_workers; }, always},
    {"one-rank-differs", "one of several equal processes keeps it, the others do not",
     "the processes that run the same code stayed flat", "store only numbers in {0}, or drop old entries", "",
     "all of these processes use the same memory",
     [](const HolderFeatures& features) {
       return features.others_are_flat &&
              (features.role == model::ProcessRole::Rank || features.names.has_any({"rank"}) ||
               features.role == model::ProcessRole::Trainer || !features.is_in_getitem);
     },
     always},
    {"worker-cache", "a worker process keeps what it has read",
     "it is in a worker process, so each worker has its own copy",
     "limit the size of {0}, or fill it before the workers start so that they share it", "",
     "the memory of the workers stops rising within an epoch",
     [](const HolderFeatures& features) { return features.role == model::ProcessRole::Worker; }, always},
    {"loss-graph-kept", "tensors are kept with their autograd graphs",
     "the tensors that it gained require gradients; each keeps the graph that it came from",
     "keep numbers instead of tensors (`.item()`, or a mean), or limit the size of {0}; `.detach()` frees "
     "the graphs, but the tensors stay",
     "", kFlatButLonger,
     [](const HolderFeatures& features) { return features.has_length && features.keeps_graphs; }, always},
    {"growing-tensor", "the tensor itself gets larger",
     "one tensor or array is as large as what the variable retains",
     "if {0} collects results (`torch.cat`), store numbers or write them to disk; if it is a buffer, "
     "allocate it once with its largest size",
     "", "the floor stops rising", [](const HolderFeatures& features) { return features.is_own_storage; },
     always},
    {"checkpoint-copies", "copies of the model state are kept",
     "it holds state dicts, one for each copy of the parameters",
     "keep one state in memory (the best, or a running average), and write the others to disk with "
     "torch.save()",
     "", kFlatAndSameLength,
     [](const HolderFeatures& features) {
       return features.keeps_state_dicts ||
              features.names.has_any({"best", "ckpt", "ckpts", "checkpoint", "checkpoints"}) ||
              features.functions.has_any({"checkpoint", "deepcopy"});
     },
     [](const HolderFeatures& features) { return features.keeps_state_dicts; }},
    {"writer-backlog", "a queue is filled faster than it is emptied", "it is a queue, and it gets longer",
     "limit the size of the queue so that the producer waits: queue.Queue(maxsize=8)", "",
     "the length of {0} stays below its limit",
     [](const HolderFeatures& features) {
       return features.type.find("queue") != std::string::npos ||
              features.type.find("Queue") != std::string::npos ||
              features.names.has_any({"queue", "pending", "backlog", "futures"});
     },
     [](const HolderFeatures& features) {
       return features.type.find("queue") != std::string::npos ||
              features.type.find("Queue") != std::string::npos;
     }},
    {"validation-outputs-kept", "validation outputs are kept", "it grows in the validation phase",
     "clear it when validation ends", "{0}.clear()", kFlatAndSameLength,
     [](const HolderFeatures& features) {
       return features.is_of_evaluation ||
              features.names.has_any({"val", "valid", "validation", "eval", "evaluation", "preds",
                                      "predictions", "logits", "outputs"}) ||
              features.functions.has_any({"validate", "validation", "evaluate", "evaluation", "eval"});
     },
     [](const HolderFeatures& features) {
       return features.is_of_evaluation ||
              features.functions.has_any({"validate", "validation", "evaluate", "evaluation", "eval"});
     }},
    {"logger-history", "a log keeps every entry", "the name suggests a log or a metric history",
     "store only numbers, or drop old entries", "del {0}[:-100]", kFlatButLonger,
     [](const HolderFeatures& features) {
       return features.names.has_any(
           {"log", "logs", "logger", "logged", "history", "writer", "metrics", "records", "wandb", "meter"});
     },
     never},
    {"dataset-cache", "a dataset keeps every sample that it returned",
     "it is filled where samples are loaded, and nothing is removed",
     "do not keep every sample in {0}, or limit its size", "", "the floor stops rising within an epoch",
     [](const HolderFeatures& features) {
       return features.is_in_getitem || features.is_unbounded ||
              features.names.has_any({"cache", "cached", "memo", "seen", "samples", "examples", "dataset",
                                      "frames", "features", "embeddings"});
     },
     [](const HolderFeatures& features) { return features.is_in_getitem || features.is_unbounded; }},
    {"chain", "the tensor keeps objects of earlier steps alive",
     "it is a tensor, and the objects that it holds hold the rest", "detach {0} between steps",
     "{0} = {0}.detach()", "the floor stops rising",
     [](const HolderFeatures& features) { return features.is_tensor; }, always},
    {"holder", "it keeps growing", "",
     "remove entries from {0} when they are no longer needed, or limit its size", "", kFlatAndSameLength,
     always, never},
}};

}  // namespace

const HeldCause& cause_of(const HolderFeatures& features) {
  return *std::find_if(kCauses.begin(), kCauses.end(),
                       [&](const HeldCause& cause) { return cause.matches(features); });
}

}  // namespace lowtide::explain

#include "explain/findings/held/held_causes.h"

#include <algorithm>
#include <array>

namespace lowtide::explain {
namespace {

constexpr const char* kWatchFloor = "the floor stops rising within a few steps, and {} keeps its length";
// Of one that is still filled, with numbers or texts.
constexpr const char* kWatchSmall = "the floor stops rising within a few steps, though {} still gets longer";

// From what cannot be mistaken to what only a name says.
constexpr std::array<HeldCause, 15> kCauses{{
    {"tracebacks-kept", "exceptions are kept with all variables of their frames",
     "what it holds are exceptions with their tracebacks, and a traceback holds every local variable of "
     "every "
     "frame below it",
     "keep the text of the exception, not the exception: str(error), or traceback.format_exc()",
     "{}.append(str(error))  # not the exception itself", kWatchSmall,
     [](const HolderFeatures& clues) { return clues.keeps_tracebacks; }},
    {"hidden-state-chain", "a state is carried from step to step with the graph of all steps before",
     "a tensor that is no container keeps more at every step: through its grad_fn it holds all steps before",
     "cut the graph between steps: detach {} before the next one, or run under torch.no_grad() where nothing "
     "is trained",
     "{0} = {0}.detach()", "the floor stops rising, and step time with it",
     [](const HolderFeatures& clues) { return clues.is_tensor && clues.keeps_graphs; }},
    {"hook-keeps-activations", "a hook on a module stores activations",
     "what is kept is allocated in a function that a module calls",
     "store what you need of it ({}[...] = output.detach().mean()), overwrite instead of appending, and "
     "remove the hook when it is done",
     "handle.remove()", kWatchFloor,
     [](const HolderFeatures& clues) {
       return clues.is_in_hook || clues.names.has_any({"hook", "hooks", "activation", "activations"}) ||
              clues.functions.has_any({"hook"});
     }},
    {"closures-kept", "callbacks are kept, and each keeps the variables that it was made with",
     "for every thing it gained there is one function and one closure cell more",
     "let the callback capture a number and not the tensor, and empty {} when its callbacks have been called",
     "value = float(batch.mean())  # capture this, then: {}.clear()", kWatchFloor,
     [](const HolderFeatures& clues) { return clues.keeps_closures; }},
    {"shared-batches-kept", "batches that came from DataLoader workers are kept in shared memory",
     "the process's shared memory grew with it: each batch pins a segment and a file descriptor",
     "keep a copy of what is kept ({}.append(batch.clone())), or only a few of them",
     "{}.append(batch.clone())", "shared memory (df /dev/shm) stops growing",
     [](const HolderFeatures& clues) { return clues.is_shared; }},
    {"one-rank-differs", "one rank keeps what the others do not",
     "processes of the same kind beside it are flat",
     "look for what only this rank does (if rank == ...): there, keep a number and not the tensor in {}",
     "{}.append(float(value))", "all ranks have the same memory",
     [](const HolderFeatures& clues) {
       return clues.others_are_flat &&
              (clues.role == model::ProcessRole::Rank || clues.names.has_any({"rank"}) ||
               clues.role == model::ProcessRole::Trainer || !clues.is_in_getitem);
     }},
    {"worker-cache", "a worker of the data loader keeps what it has read",
     "it is in a worker process, so each worker has one of its own",
     "give {} a bound, or fill it before the workers are forked so that they share it",
     "@functools.lru_cache(maxsize=256)", "the workers' memory stops rising within an epoch",
     [](const HolderFeatures& clues) { return clues.role == model::ProcessRole::Worker; }},
    {"loss-graph-kept", "losses are kept with their graphs",
     "what it holds can be differentiated: each keeps the graph that it came from",
     "keep the number and not the tensor: {}.append(loss.item()); where nothing is trained, put "
     "torch.no_grad() around it",
     "{}.append(loss.item())", kWatchSmall,
     [](const HolderFeatures& clues) { return clues.has_length && clues.keeps_graphs; }},
    {"checkpoint-copies", "copies of the model's state are kept",
     "what it holds are copies of parameters, or its name says so",
     "keep one best checkpoint and write the others to disk: torch.save(), then drop the reference",
     "{0}[:] = {0}[-1:]  # the best one only", kWatchFloor,
     [](const HolderFeatures& clues) {
       return clues.keeps_state_dicts ||
              clues.names.has_any({"best", "ckpt", "ckpts", "checkpoint", "checkpoints"}) ||
              clues.functions.has_any({"checkpoint", "deepcopy"});
     }},
    {"writer-backlog", "things wait to be written faster than the writer takes them",
     "it is a queue, and it gets longer",
     "give the queue a bound, so that who fills it waits, or write less often", "queue.Queue(maxsize=8)",
     "the length of {} stays below its bound",
     [](const HolderFeatures& clues) {
       return clues.type.find("queue") != std::string::npos ||
              clues.type.find("Queue") != std::string::npos ||
              clues.names.has_any({"queue", "pending", "backlog", "futures"});
     }},
    {"validation-outputs-kept", "outputs of the validation are kept",
     "the name, the function that allocates, or the phase that keeps is one of an evaluation",
     "empty {} when the validation ends, or keep a metric of each batch and not its outputs",
     "{}.clear()  # at the end of each validation", kWatchFloor,
     [](const HolderFeatures& clues) {
       return clues.is_of_evaluation ||
              clues.names.has_any({"val", "valid", "validation", "eval", "evaluation", "preds", "predictions",
                                   "logits", "outputs"}) ||
              clues.functions.has_any({"validate", "validation", "evaluate", "evaluation", "eval"});
     }},
    {"logger-history", "by its name a log, and it keeps what it was given",
     "that it is a log is told by its name alone; that it gains and loses nothing was measured",
     "write it out and drop it; of what stays in {} keep numbers (.item()) and small thumbnails",
     "{}.append({{\"loss\": loss.item()}})", kWatchSmall,
     [](const HolderFeatures& clues) {
       return clues.names.has_any(
           {"log", "logs", "logger", "logged", "history", "writer", "metrics", "records", "wandb", "meter"});
     }},
    {"dataset-cache", "a data set keeps every sample that it has given out",
     "it is filled where samples are made, and nothing takes out of it",
     "return the sample and do not keep it in {}, or give it a bound", "@functools.lru_cache(maxsize=256)",
     "the floor stops rising within an epoch",
     [](const HolderFeatures& clues) {
       return clues.is_in_getitem || clues.is_unbounded ||
              clues.names.has_any({"cache", "cached", "memo", "seen", "samples", "examples", "dataset",
                                   "frames", "features", "embeddings"});
     }},
    {"chain", "each holds on to the one before",
     "it is a tensor and no container: what it holds, holds the rest", "cut the chain: {0} = {0}.detach()",
     "{0} = {0}.detach()", "the floor stops rising",
     [](const HolderFeatures& clues) { return clues.is_tensor; }},
    {"holder", "it keeps more and more", "it gained and never lost",
     "drop from {} what is no longer needed, or give it a bound: of tensors keep .item() or .detach(), write "
     "the rest to disk",
     "{}.clear()  # where its content is no longer needed", kWatchFloor,
     [](const HolderFeatures&) { return true; }},
}};

}  // namespace

const HeldCause& cause_of(const HolderFeatures& clues) {
  return *std::find_if(kCauses.begin(), kCauses.end(),
                       [&](const HeldCause& cause) { return cause.matches(clues); });
}

}  // namespace lowtide::explain

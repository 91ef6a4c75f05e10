// What is known about a variable that grows. Its cause is derived from this.
#pragma once

#include "explain/findings/catalogue.h"
#include "explain/findings/held/identifier_words.h"
#include "explain/findings/held/stack_features.h"
#include "explain/settle/holders/held_contents.h"

namespace lowtide::explain {

struct HolderFeatures {
  IdentifierWords owner;  // the class of the nearest object that the variable is in
  StackFeatures stack;    // of the lines that allocate what it holds
  model::ProcessRole role = model::ProcessRole::Other;
  bool has_length = false;  // it is a container
  bool is_tensor = false;
  bool is_default = false;         // the default value of a parameter, or in it
  bool is_queue = false;           // it is a queue, or the container of one
  bool is_simple_queue = false;    // a queue.SimpleQueue, which has no limit
  bool has_waiting_tasks = false;  // an executor to which tasks came that have not run
  bool keeps_hooks = false;        // hooks of a module or tensor came to it
  bool is_own_storage = false;     // what a tensor or an array retains is its own elements
  bool is_unbounded = false;       // a cache that is declared without a bound
  bool keeps_tensors = false;      // what it gained is tensors
  bool keeps_views = false;        // these are small parts of the storages that they keep
  bool keeps_graphs = false;       // functions of autograd graphs came to it
  bool keeps_closures = false;     // as many functions and closure cells as items
  bool keeps_timers = false;       // an event loop with timers that wait
  bool keeps_tracebacks = false;   // as many tracebacks as items
  bool keeps_state_dicts = false;
  bool is_shared = false;         // tensors in memory that processes share
  bool is_pinned = false;         // tensors in pinned host memory, which the kernel also counts as shared
  bool has_workers = false;       // its process started worker processes
  bool is_of_evaluation = false;  // what its process keeps was allocated in evaluations
  bool others_are_flat = false;   // processes that run the same code beside it do not grow
};

// Whether a phase of this name judges the model and does not train it.
bool is_evaluation(std::string_view phase);

// A module whose variables grow: it is not what keeps them. A module that gets more and more variables is.
bool is_only_namespace(const model::HolderReport& holder);

// Tensors that came to it.
std::int64_t tensors_in(const HeldContents& contents);

// The dict of the hooks of a module or tensor in it that got longer, and holds most of what came to it; null:
// none.
const model::HeldNode* find_gained_hooks(const HeldGrowth& grown);

HolderFeatures clues_of(const Scene& scene, const ProcessHolders& holders, const HeldGrowth& grown);

}  // namespace lowtide::explain

// What the stacks show that allocate what a variable holds.
//
// A process may have several leaks, and the stack of one proves nothing about the variable of another. So
// every stack that may be behind the variable must show a feature.
#pragma once

#include <string>

#include "explain/settle/sites/sites.h"

namespace lowtide::explain {

struct StackFeatures {
  bool is_in_getitem = false;  // a method `__getitem__` is on the way to the line
  bool is_fetched = false;     // the DataLoader of torch called it
  bool is_in_hook = false;     // a module called it as a hook, and not as its forward()
  bool copies_state = false;   // copy.deepcopy() or state_dict() is on the stack
  bool is_training = false;    // an optimizer or backward() is on one of the stacks: no evaluation
  std::string evaluation;      // the function of the job with the name of an evaluation; empty: none
};

// `gained_bytes`: what the variable gained on the host; 0 if it gained memory of a device.
StackFeatures stack_features(const Sites& sites, model::ProcessId process, double gained_bytes);

// Both processes run the same function of the job, by their stacks. Code that ran before a process was forked
// is left out: the parent ran it, too.
bool run_same_code(const Sites& sites, const model::ProcessInfo& one, const model::ProcessInfo& other);

}  // namespace lowtide::explain

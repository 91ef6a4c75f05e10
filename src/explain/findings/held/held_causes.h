// Why a variable keeps growing: the cause, what to change, and what to expect after the change.
#pragma once

#include <string>

#include "explain/findings/held/holder_features.h"
#include "model/finding_ids.h"

namespace lowtide::explain {

struct HeldCause {
  model::FindingId id;
  // In all texts {0} is the variable in backticks (in `hint` its bare name), {1} the evaluation on the stack.
  const char* what = nullptr;  // of the title: "validation outputs are kept"; empty: nothing is proven
  const char* why = nullptr;   // one line of evidence: what the cause was recognised by
  const char* fix = nullptr;
  const char* hint = nullptr;   // code; empty: none
  const char* watch = nullptr;  // after the fix
  bool (*is_proven)(const HolderFeatures&) = nullptr;
  bool is_hint_for_tensors = false;  // else for a list
};

// The first that is proven; else the plain fact that the variable grows.
const HeldCause& cause_of(const HolderFeatures& features);

}  // namespace lowtide::explain

// Why a variable keeps more and more, as far as the evidence tells: a name, what to do, what to watch then.
#pragma once

#include <string>

#include "explain/findings/held/holder_features.h"
#include "model/finding_ids.h"

namespace lowtide::explain {

struct HeldCause {
  model::FindingId id;
  const char* what = nullptr;   // of the title: "outputs of the validation are kept"
  const char* why = nullptr;    // one line of evidence: by what it was recognised
  const char* fix = nullptr;    // {} is the variable
  const char* hint = nullptr;   // code, {} is the variable
  const char* watch = nullptr;  // after the fix
  bool (*matches)(const HolderFeatures&) = nullptr;
};

// The first entry that fits. The last fits always: a variable that keeps things, and no more is known.
const HeldCause& cause_of(const HolderFeatures& clues);

}  // namespace lowtide::explain

// The stacks of a recording for other tools: pprof's profile.proto, which pprof and
// speedscope open, and the folded stacks of flame graphs.
#pragma once

#include <string>

#include "model/site_report.h"

namespace lowtide::show {

// The default value: growth if something grew, otherwise live memory.
model::ProfileValue usual_value(const model::Profile& profile);

// A profile with the values inuse_space, inuse_objects (samples), alloc_space and growth. `value` is the one
// that is shown first. It is not compressed: pprof and speedscope both read that.
std::string to_pprof(const model::Profile& profile, model::ProfileValue value);

// One line per stack, the outermost frame first: "pid 100;train.py:88;validate trainer.py:631 2048".
// Stacks without a positive value are left out.
std::string to_folded(const model::Profile& profile, model::ProfileValue value);

}  // namespace lowtide::show

// Variables and objects of the standard library and of packages that keep what they were given: what to do
// instead of removing entries, because their parts are not the user's to change.
#pragma once

#include <string>

#include "explain/findings/catalogue.h"

namespace lowtide::explain {

// What to do about a variable of a library; empty for one of the user's.
std::string advice_for_library_variable(const Scene& scene, const model::HeldNode& node);

}  // namespace lowtide::explain

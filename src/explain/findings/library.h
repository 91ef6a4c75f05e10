// Memory that no variable is known to hold: native code of a library allocates it, and Python does not know
// its size, or Python objects that no variable reaches.
#pragma once

#include "explain/findings/catalogue.h"

namespace lowtide::explain {

// Where the Python objects of the process explain little of what the site allocated: names the library, the
// variable that may hold it, and what that means.
void describe_library(const Scene& scene, const SiteGroup& site, const std::string& library,
                      model::Finding& finding);

// Where no variable holds much of what the process gained: the variable that may hold the objects of the
// site, or who else could.
void describe_objects_without_holder(const Scene& scene, const SiteGroup& site, const std::string& library,
                                     model::Finding& finding);

}  // namespace lowtide::explain

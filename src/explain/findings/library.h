// Memory that native code of a library allocates, and of which Python does not know the size.
#pragma once

#include "explain/findings/catalogue.h"

namespace lowtide::explain {

// Where the Python objects of the process explain little of what the site allocated: names the library, the
// variable that may hold it, and what that means.
void describe_library(const Scene& scene, const SiteGroup& site, const std::string& library,
                      model::Finding& finding);

}  // namespace lowtide::explain

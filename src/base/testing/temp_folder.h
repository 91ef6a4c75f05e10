#pragma once

#include <string>

namespace lowtide::base {

// A folder of this process alone, with a slash at its end; it is removed when the process ends. Tests of two
// builds may run at the same time.
const std::string& temp_folder();

}  // namespace lowtide::base

#pragma once

#include <string>

namespace lowtide::show {

// What is shown against tests/golden/NAME. LOWTIDE_UPDATE_GOLDEN=1 writes the files anew; the difference is
// then reviewed like any other change.
void expect_golden(const std::string& name, const std::string& actual);

}  // namespace lowtide::show

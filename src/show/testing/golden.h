#pragma once

#include <string>

namespace lowtide::show {

// Compares the output with tests/golden/NAME. LOWTIDE_UPDATE_GOLDEN=1 rewrites the files; the difference is
// then reviewed like any other change.
void expect_golden(const std::string& name, const std::string& actual);

}  // namespace lowtide::show

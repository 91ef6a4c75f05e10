#pragma once

#include <string>

#include "model/gate.h"
#include "model/report.h"

namespace lowtide::show {

// The gate as JUnit XML: a test suite with one test case per rule. A rule that failed is a failure, a rule
// that could not be decided is skipped with its reason.
std::string to_junit(const model::Report& report, const model::Gate& gate);

}  // namespace lowtide::show

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "model/gate.h"
#include "model/report.h"

namespace lowtide::show {

// The gate as JUnit XML: a test suite with one test case per rule. A broken rule
// is a failure, one that could not be decided is skipped with its reason.
std::string to_junit(const model::Report& report, const model::Gate& gate);

// Text as XML 1.0 takes it, in elements and attributes: what it cannot hold at
// all, control bytes and invalid UTF-8, is replaced.
std::string xml_text(std::string_view text, std::size_t max_bytes = 1000);

}  // namespace lowtide::show

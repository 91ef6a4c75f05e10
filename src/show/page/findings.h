#pragma once

#include <string>

#include "model/report.h"

namespace lowtide::show {

// The findings as HTML, the gravest first and open, then what was ruled out; empty where there are none.
std::string page_findings(const model::Report& report);

}  // namespace lowtide::show

// Pieces that the documents of a log and of a recording share.
#pragma once

#include <initializer_list>
#include <string>

#include "model/report.h"

namespace lowtide::show {

// A row of a table; the cells are Markdown already.
std::string row(std::initializer_list<std::string> cells);

// The section "Evidence".
std::string evidence_table(const model::Report& report, const model::SeriesReport& series);

// The section "Events"; empty without any.
std::string events_table(const model::Report& report);

// " (3 times, first on line 77)"
std::string warning_place(const model::Warning& warning);

}  // namespace lowtide::show

#pragma once

#include <string>
#include <string_view>

#include "model/report.h"

namespace lowtide::show {

// The report as a colleague would write it down for others: what was found,
// what it is based on, what to do next.
std::string to_markdown(const model::Report& report);

// Text from outside, for a line or a table cell: it can start no markup, no
// HTML, no link, no mention, and end no cell.
std::string markdown_text(std::string_view text, std::size_t max_bytes = 400);

// The same for a sentence, in which names in backticks stay code. Not for a cell of a table.
std::string markdown_sentence(std::string_view text, std::size_t max_bytes = 400);

}  // namespace lowtide::show

#pragma once

#include <cstddef>
#include <string>

#include "model/report.h"
#include "show/terminal/paint.h"
#include "show/terminal/text.h"

namespace lowtide::show {

// The section of the terminal report about the places that allocate; empty without an agent.
std::string site_text(const model::Report& report, const TextOptions& options, const Paint& paint,
                      std::size_t width);

// What the growth of the tree is made of: "67 % live objects, 33 % allocator retention"; empty when
// nothing of it is known.
std::string mechanism_words(const model::Report& report);

}  // namespace lowtide::show

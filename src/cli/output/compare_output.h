// A comparison of two recordings as one HTML file: `compare --html`.
#pragma once

#include <string>
#include <variant>

#include "console/user_error.h"
#include "model/comparison.h"

namespace lowtide::cli {

// Writes the page to `where` and returns a line that confirms it. For "-" it returns the page, which belongs
// on standard output.
std::variant<std::string, console::UserError> write_comparison_page(const std::string& before,
                                                                    const std::string& after,
                                                                    const model::Comparison& comparison,
                                                                    const std::string& where);

}  // namespace lowtide::cli

// A recording as one HTML file: --html.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "console/user_error.h"
#include "model/report.h"

namespace lowtide::cli {

// The error if this lowtide was built without the page.
std::optional<console::UserError> find_page_missing();

// `again_s`: a served page loads itself again after this many seconds.
std::variant<std::string, console::UserError> make_page(const std::string& path, const model::Report& report,
                                                        std::optional<int> again_s = {});

// Writes the page to `where`. For "-" it returns the text, which belongs on standard output.
std::variant<std::string, console::UserError> write_page(const std::string& path, const model::Report& report,
                                                         const std::string& where);

}  // namespace lowtide::cli

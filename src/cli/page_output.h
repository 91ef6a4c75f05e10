// A recording as one HTML file: --html.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "console/user_error.h"
#include "model/report.h"

namespace lowtide::cli {

// What stands in the way of any page: this lowtide was built without it.
std::optional<console::UserError> find_page_missing();

// `again_s`: of one that is served, when it comes anew.
std::variant<std::string, console::UserError> make_page(const std::string& path, const model::Report& report,
                                                        std::optional<int> again_s = {});

// Writes it to `where`; what goes to standard output ("-") is returned.
std::variant<std::string, console::UserError> write_page(const std::string& path, const model::Report& report,
                                                         const std::string& where);

}  // namespace lowtide::cli

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "console/user_error.h"
#include "model/report.h"

namespace lowtide::cli {

// Reads and judges one log ("-" is standard input).
std::variant<model::Report, console::UserError> analyze_log(const std::string& path,
                                                            std::optional<std::uint64_t> limit_bytes);

}  // namespace lowtide::cli

// How a report is written, for the verbs that print one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "cli/command.h"
#include "console/user_error.h"
#include "model/report.h"
#include "show/terminal/text.h"

namespace lowtide::cli {

struct ReportStyle {
  enum class Form { Text, Json, Markdown } form = Form::Text;
  show::TextOptions text;
  bool many = false;
};

// From --json, --markdown, --width, --no-plot, --quiet and --color.
std::variant<ReportStyle, console::UserError> choose_style(const Arguments& arguments, std::string_view verb);

inline constexpr std::uint64_t kSmallestLimit = 1'000'000;  // bytes; less is a unit that was forgotten

// From --limit; absent when it was not given.
std::variant<std::optional<std::uint64_t>, console::UserError> parse_limit(const Arguments& arguments);

std::string written(const model::Report& report, const ReportStyle& style);

// The report's warnings, on standard error.
void warn_of(const model::Report& report, bool many);

}  // namespace lowtide::cli

// How a report is written, for the verbs that print one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "console/flag.h"
#include "console/user_error.h"
#include "model/report.h"
#include "show/terminal/text.h"

namespace lowtide::cli {

struct ReportStyle {
  enum class Form { Text, Json, Markdown } form = Form::Text;
  show::TextOptions text;
  bool many = false;
};

// What is given by --json, --markdown, --width, --no-plot, --quiet, --stacks, --all and --color.
struct StyleFlags {
  bool json = false;
  bool markdown = false;
  bool quiet = false;
  bool stacks = false;
  bool all = false;
  bool plot = true;
  std::optional<std::size_t> width = {};
  std::string color = "auto";
};

console::Flag<StyleFlags> width_flag(
    console::FlagText text = {"width", "N",
                              "width of the text in columns; default: that of the terminal, or 80"});
console::Flag<StyleFlags> color_flag(
    std::string_view help = "when to use colour: auto (on a terminal), always or never");

std::variant<ReportStyle, console::UserError> choose_style(const StyleFlags& flags, std::string_view verb);

std::string written(const model::Report& report, const ReportStyle& style);

// The report's warnings, on standard error.
void warn_of(const model::Report& report, bool many);

}  // namespace lowtide::cli

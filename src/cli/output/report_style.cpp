#include "cli/output/report_style.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "base/units.h"
#include "console/terminal.h"
#include "show/json/json.h"
#include "show/markdown/markdown.h"

namespace lowtide::cli {
namespace {

std::optional<std::size_t> parse_width(const std::string& text) {
  std::size_t width = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
  if (error != std::errc{} || end != text.data() + text.size() || width < 40 || width > 1000)
    return std::nullopt;
  return width;
}

}  // namespace

console::Flag<StyleFlags> width_flag(console::FlagText text) {
  return console::takes(std::move(text), &StyleFlags::width, parse_width,
                        {"the value must be a number of columns, 40 to 1000"});
}

console::Flag<StyleFlags> color_flag(std::string_view help) {
  return console::takes({"color", "WHEN", help, {"auto", "always", "never"}}, &StyleFlags::color,
                        [](const std::string& given) { return std::optional(given); });
}

std::variant<ReportStyle, console::UserError> choose_style(const StyleFlags& flags, std::string_view verb) {
  if (flags.json && flags.markdown) {
    return console::UserError{fmt::format("{} cannot write JSON and Markdown at once", verb),
                              "both would go to standard output",
                              "run it twice, once with --json and once with --markdown"};
  }
  const console::Terminal terminal = console::find_terminal(flags.color, flags.width);
  ReportStyle style;
  if (flags.json) style.form = ReportStyle::Form::Json;
  if (flags.markdown) style.form = ReportStyle::Form::Markdown;
  style.text = {terminal.width, terminal.unicode, terminal.colour, flags.plot,
                flags.quiet,    flags.stacks,     flags.all};
  return style;
}

std::string written(const model::Report& report, const ReportStyle& style) {
  switch (style.form) {
    case ReportStyle::Form::Json:
      return show::to_json(report);
    case ReportStyle::Form::Markdown:
      return show::to_markdown(report);
    case ReportStyle::Form::Text:
      break;
  }
  return show::to_text(report, style.text);
}

void warn_of(const model::Report& report, bool many) {
  for (const model::Warning& warning : report.warnings) {
    std::string words = many ? report.source.path + ": " + warning.text : warning.text;
    if (warning.first_line > 0) {
      words += warning.count > 1 ? fmt::format(" ({} times, first on line {})",
                                               base::format_count(warning.count), warning.first_line)
                                 : fmt::format(" (line {})", warning.first_line);
    }
    console::print_warning(words);
  }
}

}  // namespace lowtide::cli

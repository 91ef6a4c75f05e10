#include "cli/report_style.h"

#include <fmt/format.h>

#include <charconv>

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

std::variant<ReportStyle, console::UserError> choose_style(const Arguments& arguments,
                                                           std::string_view verb) {
  if (arguments.has("json") && arguments.has("markdown")) {
    return console::UserError{fmt::format("{} cannot write JSON and Markdown at once", verb),
                              "both would go to standard output",
                              "call it twice, once with --json and once with --markdown"};
  }
  std::optional<std::size_t> width;
  if (const auto text = arguments.text("width")) {
    width = parse_width(*text);
    if (!width) {
      return console::UserError{fmt::format("--width cannot be '{}'", *text),
                                "it is a number of columns, 40 to 1000",
                                fmt::format("lowtide {} --help", verb)};
    }
  }
  const console::Terminal terminal = console::find_terminal(arguments.text("color").value_or("auto"), width);
  ReportStyle style;
  if (arguments.has("json")) style.form = ReportStyle::Form::Json;
  if (arguments.has("markdown")) style.form = ReportStyle::Form::Markdown;
  style.text = {terminal.width,         terminal.unicode,       terminal.colour, !arguments.has("no-plot"),
                arguments.has("quiet"), arguments.has("stacks")};
  return style;
}

std::variant<std::optional<std::uint64_t>, console::UserError> parse_limit(const Arguments& arguments) {
  const auto text = arguments.text("limit");
  if (!text) return std::optional<std::uint64_t>();
  const auto limit = base::parse_size(*text);
  if (!limit || limit.value() < kSmallestLimit) {
    return console::UserError{fmt::format("--limit cannot be '{}'", *text),
                              "it is a size of at least 1 MB, with its unit",
                              "--limit 32G, --limit 80GiB or --limit 500M"};
  }
  return std::optional(limit.value());
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

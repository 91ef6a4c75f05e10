// `lowtide analyze`: is it a leak? From a log, a CSV, or what other tools wrote.

#include <fmt/format.h>

#include <charconv>
#include <variant>

#include "base/units.h"
#include "cli/analyze_log.h"
#include "cli/analyze_series.h"
#include "cli/commands/all.h"
#include "cli/complaint.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "show/json.h"
#include "show/markdown.h"
#include "show/text.h"

namespace lowtide::cli {
namespace {

constexpr std::uint64_t kSmallestLimit = 1'000'000;  // bytes; less is a unit that was forgotten
constexpr std::string_view kHelpHint = "lowtide analyze --help";

ExitCode refuse(std::string what, std::string why, std::string attempt = std::string(kHelpHint)) {
  complain({std::move(what), std::move(why), std::move(attempt)});
  return ExitCode::Usage;
}

std::optional<std::size_t> parse_width(const std::string& text) {
  std::size_t width = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
  if (error != std::errc{} || end != text.data() + text.size() || width < 40 || width > 1000)
    return std::nullopt;
  return width;
}

// How a report is written, once it is made.
struct Style {
  enum class Form { Text, Json, Markdown } form = Form::Text;
  show::TextOptions text;
  bool many = false;
};

std::string written(const model::Report& report, const Style& style) {
  switch (style.form) {
    case Style::Form::Json:
      return show::to_json(report);
    case Style::Form::Markdown:
      return show::to_markdown(report);
    case Style::Form::Text:
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
    warn(words);
  }
}

ExitCode analyze_logs(const std::vector<std::string>& paths, std::optional<std::uint64_t> limit_bytes,
                      const Style& style) {
  Output output;
  ExitCode code = ExitCode::NoLeak;
  bool first = true;
  for (const std::string& path : paths) {
    const auto result = analyze_log(path, limit_bytes);
    if (const auto* complaint = std::get_if<Complaint>(&result)) {
      output.flush();  // so that words and results come in the order of the files
      complain(*complaint);
      code = worse_of(code, ExitCode::Unreadable);
      continue;
    }
    const auto& report = std::get<model::Report>(result);
    if (style.form != Style::Form::Json && !first) output.write("\n");
    if (style.form == Style::Form::Text && style.many) output.write(show::to_text_title(report, style.text));
    output.write(written(report, style));
    output.flush();
    if (style.form == Style::Form::Text) warn_of(report, style.many);
    code = worse_of(code, exit_code_of(report.verdict.kind));
    first = false;
  }
  return output.finish() ? code : ExitCode::Unreadable;
}

ExitCode run(const Arguments& arguments) {
  const bool as_json = arguments.has("json");
  if (as_json && arguments.has("markdown")) {
    return refuse("analyze cannot write JSON and Markdown at once", "both would go to standard output",
                  "call it twice, once with --json and once with --markdown");
  }
  if (const auto series = arguments.text("series")) {
    if (!arguments.positionals().empty()) {
      return refuse("analyze takes either --series FILE or log files", "both were given",
                    "one call for each");
    }
    for (const char* flag : {"markdown", "limit"}) {
      if (arguments.has(flag))
        return refuse(fmt::format("--{} does not go with --series", flag),
                      "each series gets one line with its verdict");
    }
    return analyze_series(*series, {.as_json = as_json, .running = arguments.has("running")});
  }
  if (arguments.has("running")) {
    return refuse("--running goes with --series only", "a log is judged as a run that has ended");
  }
  if (arguments.positionals().empty()) {
    return refuse("analyze needs a file", "none was named",
                  "lowtide analyze train.log, or ... | lowtide analyze -");
  }

  std::optional<std::uint64_t> limit_bytes;
  if (const auto text = arguments.text("limit")) {
    const auto limit = base::parse_size(*text);
    if (!limit || limit.value() < kSmallestLimit) {
      return refuse(fmt::format("--limit cannot be '{}'", *text),
                    "it is a size of at least 1 MB, with its unit",
                    "--limit 32G, --limit 80GiB or --limit 500M");
    }
    limit_bytes = limit.value();
  }
  std::optional<std::size_t> width;
  if (const auto text = arguments.text("width")) {
    width = parse_width(*text);
    if (!width)
      return refuse(fmt::format("--width cannot be '{}'", *text), "it is a number of columns, 40 to 1000");
  }

  const Terminal terminal = find_terminal(arguments.text("color").value_or("auto"), width);
  Style style;
  if (as_json) style.form = Style::Form::Json;
  if (arguments.has("markdown")) style.form = Style::Form::Markdown;
  style.text = {terminal.width, terminal.unicode, terminal.colour, !arguments.has("no-plot"),
                arguments.has("quiet")};
  style.many = arguments.positionals().size() > 1;
  return analyze_logs(arguments.positionals(), limit_bytes, style);
}

}  // namespace

Command analyze_command() {
  return {
      "analyze",
      "Tell from a log whether its memory growth is a leak",
      "Reads what a training job leaves behind (lines with a step and a memory size, CSV, JSON lines, the "
      "output of "
      "nvidia-smi, free, ps, top, docker stats, psrecord, mprof) without being told what it is, and gives a "
      "verdict: "
      "leak, warmup, spikes, stable, or inconclusive with what would settle it.\n"
      "Several runs or restarts in one file are judged one by one.",
      {"FILE", "the log; - is standard input", true, {}},
      {
          {"json", "", "print the report as JSON, for programs"},
          {"markdown", "", "print the report as Markdown, for a ticket"},
          {"limit", "SIZE", "forecast when this much is reached, e.g. 32G; default: what the log tells"},
          {"series", "FILE", "judge many series instead, one JSON object a line; - is standard input"},
          {"running", "",
           "with --series: the runs go on; ask for more before saying leak, as a monitor must"},
          {"width", "N", "columns of the text; default: those of the terminal, or 80"},
          {"no-plot", "", "no picture of the series"},
          {"quiet", "", "only the answer and its reason"},
          {"color", "WHEN", "auto (on a terminal), always or never", {"auto", "always", "never"}},
      },
      {
          {"lowtide analyze train.log", "is it a leak?"},
          {"lowtide analyze --limit 32G train.log", "and when does it reach 32 GiB?"},
          {"kubectl logs trainer | lowtide analyze -", "from a pipe"},
          {"lowtide analyze --json a.log b.log | jq .verdict.kind",
           "for scripts; the exit status tells as well"},
      },
      run,
  };
}

}  // namespace lowtide::cli

// `lowtide analyze`: judges a log, a CSV file or the output of another tool.

#include <fmt/format.h>

#include <variant>

#include "cli/commands/all.h"
#include "cli/input/analyze_log.h"
#include "cli/input/analyze_series.h"
#include "cli/output/output.h"
#include "cli/output/report_style.h"
#include "cli/syntax/refuse.h"
#include "console/user_error.h"
#include "show/terminal/text.h"

namespace lowtide::cli {
namespace {

using console::limit_flag;
using console::takes_text;
using console::turns_off;
using console::turns_on;

constexpr std::string_view kHelpHint = "lowtide analyze --help";

console::ExitCode analyze_logs(const std::vector<std::string>& paths,
                               std::optional<std::uint64_t> limit_bytes, const ReportStyle& style) {
  Output output;
  console::ExitCode code = console::ExitCode::NoLeak;
  bool first = true;
  for (const std::string& path : paths) {
    const auto result = analyze_log(path, limit_bytes);
    if (const auto* user_error = std::get_if<console::UserError>(&result)) {
      output.flush();  // so that errors and results come in the order of the files
      console::print_error(*user_error);
      code = console::worse_of(code, console::ExitCode::Unreadable);
      continue;
    }
    const auto& report = std::get<model::Report>(result);
    if (style.form != ReportStyle::Form::Json && !first) output.write("\n");
    if (style.form == ReportStyle::Form::Text && style.many)
      output.write(show::to_text_title(report, style.text));
    output.write(written(report, style));
    output.flush();
    if (style.form == ReportStyle::Form::Text) warn_of(report, style.many);
    code = console::worse_of(code, console::exit_code_of(report));
    first = false;
  }
  return output.finish() ? code : console::ExitCode::Unreadable;
}

struct AnalyzeFlags : StyleFlags {
  std::optional<std::uint64_t> limit_bytes = {};
  std::optional<std::string> series = {};
  bool running = false;
};

console::ExitCode run_analyze(const AnalyzeFlags& flags, const Words& words) {
  if (flags.series) {
    if (!words.positionals.empty()) {
      return refuse(
          {"analyze takes either --series FILE or log files", "both were given", "run it once for each"});
    }
    if (flags.markdown || flags.limit_bytes) {
      return refuse(
          {fmt::format("--{} and --series exclude each other", flags.markdown ? "markdown" : "limit"),
           "--series prints one line with the verdict of each series", std::string(kHelpHint)});
    }
    return analyze_series(*flags.series, {.as_json = flags.json, .running = flags.running});
  }
  if (flags.running) {
    return refuse(
        {"--running needs --series", "a log is judged as a run that has ended", std::string(kHelpHint)});
  }
  if (words.positionals.empty()) {
    return refuse({"analyze needs a file", "no file was given",
                   "lowtide analyze train.log, or ... | lowtide analyze -"});
  }

  auto chosen = choose_style(flags, "analyze");
  if (const auto* user_error = std::get_if<console::UserError>(&chosen)) return refuse(*user_error);
  auto& style = std::get<ReportStyle>(chosen);
  style.many = words.positionals.size() > 1;
  return analyze_logs(words.positionals, flags.limit_bytes, style);
}

}  // namespace

Command analyze_command() {
  return with_flags<AnalyzeFlags>(
      {"analyze",
       "Find out from a log whether its memory growth is a leak",
       "Reads the log of a training job: lines with a step and a memory size, CSV, JSON lines, or the output "
       "of nvidia-smi, free, ps, top, docker stats, psrecord or mprof. It detects the format and prints a "
       "verdict: leak, warmup, spikes, stable or inconclusive. If it is inconclusive, the report states how "
       "much more data is needed.\n"
       "If a file contains several runs or restarts, each is judged separately.",
       {"FILE", "the log; - is standard input", true, {}},
       {
           {"lowtide analyze train.log", "find out whether the job leaks"},
           {"lowtide analyze --limit 32G train.log", "forecast when it reaches 32 GiB"},
           {"kubectl logs trainer | lowtide analyze -", "read the log from a pipe"},
           {"lowtide analyze --json a.log b.log | jq .verdict.kind",
            "use it in a script; the exit status has the verdict too"},
       }},
      {
          turns_on("json", "print the report as JSON, for programs", &AnalyzeFlags::json),
          turns_on("markdown", "print the report as Markdown, for a ticket", &AnalyzeFlags::markdown),
          limit_flag("forecast when memory reaches SIZE, e.g. 32G; default: the limit in the log, if any",
                     &AnalyzeFlags::limit_bytes),
          takes_text({"series", "FILE",
                      "judge many series instead of a log, one JSON object per line; - is standard input"},
                     &AnalyzeFlags::series),
          turns_on("running",
                   "with --series: the runs have not ended, so more evidence is needed to call a leak",
                   &AnalyzeFlags::running),
          width_flag(),
          turns_on("all", "print everything that is known: all runs, series and events", &AnalyzeFlags::all),
          turns_off("no-plot", "do not draw the plot", &AnalyzeFlags::plot),
          turns_on("quiet", "print only the answer and the fix", &AnalyzeFlags::quiet),
          color_flag(),
      },
      run_analyze);
}

}  // namespace lowtide::cli

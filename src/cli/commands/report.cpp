// `lowtide report`: the findings of a recording, while the job runs, after it, or after it was killed.

#include <optional>
#include <string>
#include <variant>

#include "cli/commands/all.h"
#include "cli/output.h"
#include "cli/page_output.h"
#include "cli/profile_output.h"
#include "cli/refuse.h"
#include "cli/report_recording.h"
#include "cli/report_style.h"
#include "cli/trace_output.h"
#include "console/user_error.h"

namespace lowtide::cli {
namespace {

using console::limit_flag;
using console::takes_text;
using console::turns_off;
using console::turns_on;

// What is written beside the report; "-" is standard output, in the report's place.
struct ReportFlags : StyleFlags, ProfileFlags {
  std::optional<std::uint64_t> limit_bytes = {};
  std::optional<std::string> perfetto = {};
  std::optional<std::string> html = {};

  [[nodiscard]] bool files_to_output() const { return to_output() || perfetto == "-" || html == "-"; }
};

std::optional<console::UserError> find_conflict(const ReportFlags& flags) {
  const bool prints = flags.json || flags.markdown;
  if (auto conflict = cli::find_conflict(flags, prints)) return conflict;
  if (flags.perfetto == "-" && (prints || flags.to_output())) {
    return console::UserError{"the trace and something else cannot both go to standard output",
                              "they would be mixed", "--perfetto train.json"};
  }
  if (flags.html == "-" && (prints || flags.to_output() || flags.perfetto == "-")) {
    return console::UserError{"the page and something else cannot both go to standard output",
                              "they would be mixed", "--html train.html"};
  }
  return std::nullopt;
}

// What stands in the way of them; what goes to standard output is put there.
std::optional<console::UserError> write_files(const ReportFlags& flags, const std::string& path,
                                              const model::Report& report, Output& output) {
  std::optional<console::UserError> failure;
  const auto put = [&](const std::variant<std::string, console::UserError>& text) {
    if (const auto* user_error = std::get_if<console::UserError>(&text)) {
      failure = *user_error;
    } else {
      output.write(std::get<std::string>(text));
    }
  };
  if (flags.any()) put(write_profiles(path, flags));
  if (flags.perfetto && !failure) put(write_trace(path, *flags.perfetto));
  if (flags.html && !failure) put(write_page(path, report, *flags.html));
  return failure;
}

console::ExitCode run_report(const ReportFlags& flags, const Words& words) {
  if (words.positionals.empty()) {
    return refuse({"report needs a recording", "none was named", "lowtide report train.lowtide"});
  }
  const auto style = choose_style(flags, "report");
  if (const auto* user_error = std::get_if<console::UserError>(&style)) return refuse(*user_error);
  if (const auto conflict = find_conflict(flags)) return refuse(*conflict);
  if (flags.html) {
    if (const auto user_error = find_page_missing())
      return refuse(*user_error, console::ExitCode::Unreadable);
  }

  const std::string& path = words.positionals.front();
  const auto result = report_recording(path, flags.limit_bytes);
  if (const auto* user_error = std::get_if<console::UserError>(&result))
    return refuse(*user_error, console::ExitCode::Unreadable);
  const auto& report = std::get<model::Report>(result);
  Output output;
  if (const auto user_error = write_files(flags, path, report, output))
    return refuse(*user_error, console::ExitCode::Unreadable);
  if (!flags.files_to_output()) output.write(written(report, std::get<ReportStyle>(style)));
  const bool all = output.finish();
  if (std::get<ReportStyle>(style).form == ReportStyle::Form::Text) warn_of(report, false);
  return all ? console::exit_code_of(report.verdict.kind) : console::ExitCode::Unreadable;
}

}  // namespace

Command report_command() {
  console::Flags<ReportFlags> flags = {
      turns_on("json", "print the report as JSON, for programs", &ReportFlags::json),
      turns_on("markdown", "print a findings document, for a ticket", &ReportFlags::markdown),
      limit_flag("forecast when the tree reaches this much; default: the cgroup's limit or the host's memory",
                 &ReportFlags::limit_bytes),
      width_flag(),
      turns_off("no-plot", "no picture of the series", &ReportFlags::plot),
      turns_on("all", "everything that is known: all processes, lines, findings and events",
               &ReportFlags::all),
      turns_on("stacks", "whole stacks of the places that allocate", &ReportFlags::stacks),
      takes_text(
          {"html", "FILE",
           "write the report as one page to look at: timeline, flame graph, tables; opens from disk, asks no "
           "network; - is standard output"},
          &ReportFlags::html),
      takes_text({"perfetto", "FILE", "write the run as a trace for ui.perfetto.dev; - is standard output"},
                 &ReportFlags::perfetto),
      turns_on("quiet", "only the answer and its reason", &ReportFlags::quiet),
      color_flag(),
  };
  for (const auto& flag : profile_flags()) flags.emplace_back(flag);
  return with_flags<ReportFlags>(
      {"report",
       "Tell what a recording shows: verdict, processes, findings",
       "Reads the recording of a watched job and tells whether it leaks, which process does, when the limit "
       "is "
       "reached, how the job ended, and what was ruled out. Works while the job still runs, and on what a "
       "killed "
       "job or monitor has left.",
       {"REC", "the recording", false, {}},
       {
           {"lowtide report train.lowtide", "what happened?"},
           {"lowtide report --markdown train.lowtide > findings.md", "a document for the ticket"},
           {"lowtide report --html train.html train.lowtide && xdg-open train.html", "look at it"},
           {"lowtide report --json train.lowtide | jq '.findings[].title'", "for scripts"},
           {"lowtide report --pprof heap.pb train.lowtide && go tool pprof -http=: heap.pb",
            "which stacks grew, as a graph"},
           {"lowtide report --perfetto run.json train.lowtide", "memory, phases and events on a timeline"},
           {"lowtide report --folded - --live train.lowtide | flamegraph.pl > live.svg", "what is alive"},
       }},
      flags, run_report);
}

}  // namespace lowtide::cli

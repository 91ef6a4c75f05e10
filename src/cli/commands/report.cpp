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

// What is written beside the report; "-" is standard output, in the report's place.
struct Files {
  ProfileFlags stacks;
  std::optional<std::string> trace;
  std::optional<std::string> page;

  [[nodiscard]] bool to_output() const { return stacks.to_output() || trace == "-" || page == "-"; }
};

std::variant<Files, console::UserError> parse_files(const Arguments& arguments) {
  const auto stacks = parse_profile_flags(arguments);
  if (const auto* user_error = std::get_if<console::UserError>(&stacks)) return *user_error;
  Files files{std::get<ProfileFlags>(stacks), arguments.text("perfetto"), arguments.text("html")};
  const bool prints = arguments.has("json") || arguments.has("markdown") || files.stacks.to_output();
  if (files.trace == "-" && prints) {
    return console::UserError{"the trace and something else cannot both go to standard output",
                              "they would be mixed", "--perfetto train.json"};
  }
  if (files.page == "-" && (prints || files.trace == "-")) {
    return console::UserError{"the page and something else cannot both go to standard output",
                              "they would be mixed", "--html train.html"};
  }
  return files;
}

// What stands in the way of them; what goes to standard output is put there.
std::optional<console::UserError> write_files(const Files& files, const std::string& path,
                                              const model::Report& report, Output& output) {
  std::optional<console::UserError> failure;
  const auto put = [&](const std::variant<std::string, console::UserError>& text) {
    if (const auto* user_error = std::get_if<console::UserError>(&text)) {
      failure = *user_error;
    } else {
      output.write(std::get<std::string>(text));
    }
  };
  if (files.stacks.any()) put(write_profiles(path, files.stacks));
  if (files.trace && !failure) put(write_trace(path, *files.trace));
  if (files.page && !failure) put(write_page(path, report, *files.page));
  return failure;
}

console::ExitCode run_report(const Arguments& arguments) {
  if (arguments.positionals().empty()) {
    return refuse({"report needs a recording", "none was named", "lowtide report train.lowtide"});
  }
  const auto style = choose_style(arguments, "report");
  if (const auto* user_error = std::get_if<console::UserError>(&style)) return refuse(*user_error);
  const auto limit = parse_limit(arguments);
  if (const auto* user_error = std::get_if<console::UserError>(&limit)) return refuse(*user_error);
  const auto parsed = parse_files(arguments);
  if (const auto* user_error = std::get_if<console::UserError>(&parsed)) return refuse(*user_error);
  const Files& files = std::get<Files>(parsed);
  if (files.page) {
    if (const auto user_error = find_page_missing())
      return refuse(*user_error, console::ExitCode::Unreadable);
  }

  const std::string& path = arguments.positionals().front();
  const auto result = report_recording(path, std::get<std::optional<std::uint64_t>>(limit));
  if (const auto* user_error = std::get_if<console::UserError>(&result))
    return refuse(*user_error, console::ExitCode::Unreadable);
  const auto& report = std::get<model::Report>(result);
  Output output;
  if (const auto user_error = write_files(files, path, report, output))
    return refuse(*user_error, console::ExitCode::Unreadable);
  if (!files.to_output()) output.write(written(report, std::get<ReportStyle>(style)));
  const bool all = output.finish();
  if (std::get<ReportStyle>(style).form == ReportStyle::Form::Text) warn_of(report, false);
  return all ? console::exit_code_of(report.verdict.kind) : console::ExitCode::Unreadable;
}

}  // namespace

Command report_command() {
  Command command{
      "report",
      "Tell what a recording shows: verdict, processes, findings",
      "Reads the recording of a watched job and tells whether it leaks, which process does, when the limit "
      "is "
      "reached, how the job ended, and what was ruled out. Works while the job still runs, and on what a "
      "killed "
      "job or monitor has left.",
      {"REC", "the recording", false, {}},
      {
          {"json", "", "print the report as JSON, for programs"},
          {"markdown", "", "print a findings document, for a ticket"},
          {"limit", "SIZE",
           "forecast when the tree reaches this much; default: the cgroup's limit or the host's memory"},
          {"width", "N", "columns of the text; default: those of the terminal, or 80"},
          {"no-plot", "", "no picture of the series"},
          {"stacks", "", "whole stacks of the places that allocate"},
          {"html", "FILE",
           "write the report as one page to look at: timeline, flame graph, tables; opens from disk, asks no "
           "network; - is standard output"},
          {"perfetto", "FILE", "write the run as a trace for ui.perfetto.dev; - is standard output"},
          {"quiet", "", "only the answer and its reason"},
          {"color", "WHEN", "auto (on a terminal), always or never", {"auto", "always", "never"}},
      },
      {
          {"lowtide report train.lowtide", "what happened?"},
          {"lowtide report --markdown train.lowtide > findings.md", "a document for the ticket"},
          {"lowtide report --html train.html train.lowtide && xdg-open train.html", "look at it"},
          {"lowtide report --json train.lowtide | jq '.findings[].title'", "for scripts"},
          {"lowtide report --pprof heap.pb train.lowtide && go tool pprof -http=: heap.pb",
           "which stacks grew, as a graph"},
          {"lowtide report --perfetto run.json train.lowtide", "memory, phases and events on a timeline"},
          {"lowtide report --folded - --live train.lowtide | flamegraph.pl > live.svg", "what is alive"},
      },
      run_report,
  };
  const std::vector<Flag> stacks = profile_flags();
  command.flags.insert(command.flags.end(), stacks.begin(), stacks.end());
  return command;
}

}  // namespace lowtide::cli

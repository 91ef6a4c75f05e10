// `lowtide report`: the findings of a recording, while the job runs, after it, or after it was killed.

#include <variant>

#include "cli/commands/all.h"
#include "cli/complaint.h"
#include "cli/output.h"
#include "cli/profile_output.h"
#include "cli/report_recording.h"
#include "cli/report_style.h"
#include "cli/trace_output.h"

namespace lowtide::cli {
namespace {

ExitCode run(const Arguments& arguments) {
  const auto refuse = [](const Complaint& complaint) {
    complain(complaint);
    return ExitCode::Usage;
  };
  if (arguments.positionals().empty()) {
    return refuse({"report needs a recording", "none was named", "lowtide report train.lowtide"});
  }
  const auto style = choose_style(arguments, "report");
  if (const auto* complaint = std::get_if<Complaint>(&style)) return refuse(*complaint);
  const auto limit = parse_limit(arguments);
  if (const auto* complaint = std::get_if<Complaint>(&limit)) return refuse(*complaint);
  const auto profiles = parse_profile_flags(arguments);
  if (const auto* complaint = std::get_if<Complaint>(&profiles)) return refuse(*complaint);

  const auto trace = arguments.text("perfetto");
  if (trace == "-" &&
      (arguments.has("json") || arguments.has("markdown") || std::get<ProfileFlags>(profiles).to_output())) {
    return refuse({"the trace and something else cannot both go to standard output", "they would be mixed",
                   "--perfetto train.json"});
  }

  const auto result =
      report_recording(arguments.positionals().front(), std::get<std::optional<std::uint64_t>>(limit));
  if (const auto* complaint = std::get_if<Complaint>(&result)) {
    complain(*complaint);
    return ExitCode::Unreadable;
  }
  const auto& report = std::get<model::Report>(result);
  Output output;
  const auto& wanted = std::get<ProfileFlags>(profiles);
  if (wanted.any()) {
    const auto stacks = write_profiles(arguments.positionals().front(), wanted);
    if (const auto* complaint = std::get_if<Complaint>(&stacks)) {
      complain(*complaint);
      return ExitCode::Unreadable;
    }
    output.write(std::get<std::string>(stacks));
  }
  if (trace) {
    const auto text = write_trace(arguments.positionals().front(), *trace);
    if (const auto* complaint = std::get_if<Complaint>(&text)) {
      complain(*complaint);
      return ExitCode::Unreadable;
    }
    output.write(std::get<std::string>(text));
  }
  if (!wanted.to_output() && trace != "-") output.write(written(report, std::get<ReportStyle>(style)));
  const bool all = output.finish();
  if (std::get<ReportStyle>(style).form == ReportStyle::Form::Text) warn_of(report, false);
  return all ? exit_code_of(report.verdict.kind) : ExitCode::Unreadable;
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
          {"perfetto", "FILE", "write the run as a trace for ui.perfetto.dev; - is standard output"},
          {"quiet", "", "only the answer and its reason"},
          {"color", "WHEN", "auto (on a terminal), always or never", {"auto", "always", "never"}},
      },
      {
          {"lowtide report train.lowtide", "what happened?"},
          {"lowtide report --markdown train.lowtide > findings.md", "a document for the ticket"},
          {"lowtide report --json train.lowtide | jq '.findings[].title'", "for scripts"},
          {"lowtide report --pprof heap.pb train.lowtide && go tool pprof -http=: heap.pb",
           "which stacks grew, as a graph"},
          {"lowtide report --perfetto run.json train.lowtide", "memory, phases and events on a timeline"},
          {"lowtide report --folded - --live train.lowtide | flamegraph.pl > live.svg", "what is alive"},
      },
      run,
  };
  const std::vector<Flag> stacks = profile_flags();
  command.flags.insert(command.flags.end(), stacks.begin(), stacks.end());
  return command;
}

}  // namespace lowtide::cli

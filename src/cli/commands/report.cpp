// `lowtide report`: the report of a recording, also while the job runs or after it was killed.

#include <cstdio>
#include <optional>
#include <string>
#include <variant>

#include "cli/commands/all.h"
#include "cli/input/report_recording.h"
#include "cli/output/output.h"
#include "cli/output/page_output.h"
#include "cli/output/profile_output.h"
#include "cli/output/report_style.h"
#include "cli/output/trace_output.h"
#include "cli/syntax/refuse.h"
#include "console/user_error.h"

namespace lowtide::cli {
namespace {

using console::limit_flag;
using console::takes_text;
using console::turns_off;
using console::turns_on;

// The files replace the printed report; "-" is standard output.
struct ReportFlags : StyleFlags, ProfileFlags {
  std::optional<std::uint64_t> limit_bytes = {};
  std::optional<std::string> perfetto = {};
  std::optional<std::string> html = {};

  [[nodiscard]] bool exports() const { return any() || perfetto || html; }
  [[nodiscard]] bool prints_report() const { return json || markdown || !exports(); }
  // Standard output has data of a program on it, not text for a person.
  [[nodiscard]] bool output_is_data() const {
    return json || markdown || to_output() || perfetto == "-" || html == "-";
  }
};

std::optional<console::UserError> find_conflict(const ReportFlags& flags) {
  const bool prints = flags.json || flags.markdown;
  if (auto conflict = cli::find_conflict(flags, prints)) return conflict;
  if (flags.perfetto == "-" && (prints || flags.to_output())) {
    return console::UserError{"the trace and something else cannot both go to standard output",
                              "their data would be mixed", "--perfetto train.json"};
  }
  if (flags.html == "-" && (prints || flags.to_output() || flags.perfetto == "-")) {
    return console::UserError{"the page and something else cannot both go to standard output",
                              "their data would be mixed", "--html train.html"};
  }
  return std::nullopt;
}

// Writes the requested files, or to `output` for "-".
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

void confirm_files(const ReportFlags& flags, Output& output) {
  std::string lines;
  for (const auto& path : {flags.pprof, flags.folded, flags.perfetto, flags.html}) {
    if (path && *path != "-") lines += wrote_line(*path);
  }
  if (flags.output_is_data()) {
    output.flush();
    std::fputs(lines.c_str(), stderr);
  } else {
    output.write(lines);
  }
}

console::ExitCode run_report(const ReportFlags& flags, const Words& words) {
  if (words.positionals.empty()) {
    return refuse({"report needs a recording", "no file was given", "lowtide report train.lowtide"});
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
  if (flags.prints_report()) output.write(written(report, std::get<ReportStyle>(style)));
  confirm_files(flags, output);
  const bool all = output.finish();
  if (std::get<ReportStyle>(style).form == ReportStyle::Form::Text) warn_of(report, false);
  if (!all) return console::ExitCode::Unreadable;
  // `report --html a.html REC && xdg-open a.html` must also work if there is a leak.
  return flags.exports() ? console::ExitCode::NoLeak : console::exit_code_of(report);
}

}  // namespace

Command report_command() {
  console::Flags<ReportFlags> flags = {
      turns_on("json", "print the report as JSON, for programs", &ReportFlags::json),
      turns_on("markdown", "print the report as Markdown, for a ticket", &ReportFlags::markdown),
      limit_flag("forecast when the process tree reaches SIZE; default: the limit of the cgroup, or the "
                 "memory of the host",
                 &ReportFlags::limit_bytes),
      width_flag(),
      turns_off("no-plot", "do not draw the plot", &ReportFlags::plot),
      turns_on("all", "print everything that is known: all processes, lines, findings and events",
               &ReportFlags::all),
      turns_on("stacks", "print the whole stack of each line that allocates", &ReportFlags::stacks),
      takes_text({"html", "FILE",
                  "write the report as one HTML page with timeline, flame graph and tables; it needs no "
                  "network; - is "
                  "standard output"},
                 &ReportFlags::html),
      takes_text({"perfetto", "FILE", "write the run as a trace for ui.perfetto.dev; - is standard output"},
                 &ReportFlags::perfetto),
      turns_on("quiet", "print only the answer and the fix", &ReportFlags::quiet),
      color_flag(),
  };
  for (const auto& flag : profile_flags()) flags.emplace_back(flag);
  return with_flags<ReportFlags>(
      {"report",
       "Print the report of a recording: verdict, processes, findings",
       "Reads the recording of a watched job and reports whether the job leaks, where, when it reaches the "
       "limit, how it ended, and which causes are ruled out. It also works while the job runs, and after the "
       "job or lowtide was killed.\n"
       "With --html, --pprof, --folded or --perfetto it writes that file and does not print the report.",
       {"REC", "the recording", false, {}},
       {
           {"lowtide report train.lowtide", "print the report"},
           {"lowtide report --markdown train.lowtide > findings.md", "make a document for a ticket"},
           {"lowtide report --html train.html train.lowtide && xdg-open train.html",
            "write the page and open it in a browser"},
           {"lowtide report --json train.lowtide | jq '.findings[].title'", "use it in a script"},
           {"lowtide report --pprof heap.pb train.lowtide && go tool pprof -http=: heap.pb",
            "show the stacks that grew as a graph"},
           {"lowtide report --perfetto run.json train.lowtide",
            "show memory, phases and events on a timeline"},
           {"lowtide report --folded - --live train.lowtide | flamegraph.pl > live.svg",
            "draw a flame graph of live memory"},
       }},
      flags, run_report);
}

}  // namespace lowtide::cli

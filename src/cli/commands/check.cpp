// `lowtide check`: a gate for CI on a recording, or on a job that it runs.

#include <fmt/format.h>

#include <cstdio>
#include <variant>

#include "base/text.h"
#include "cli/commands/all.h"
#include "cli/input/report_recording.h"
#include "cli/output/output.h"
#include "cli/syntax/gate_flags.h"
#include "cli/syntax/refuse.h"
#include "console/user_error.h"
#include "explain/gate.h"
#include "show/answer_words.h"
#include "show/export/junit.h"
#include "show/json/json.h"
#include "watch/run_job.h"

namespace lowtide::cli {
namespace {

struct CheckFlags : GateFlags {
  std::optional<std::string> output = {};
  bool json = false;
  std::optional<std::string> junit = {};
};

// The verdict, each rule, and the result as the last line.
std::string check_text(const model::Report& report, const model::Gate& gate,
                       const std::string& new_recording) {
  std::string text = show::answer_line(report) + "\n" + gate_text(gate);
  if (!new_recording.empty()) text += "recording: " + base::printable(new_recording) + "\n";
  return text + gate_summary(gate, report.verdict) + "\n";
}

console::ExitCode run_check(const CheckFlags& flags, const Words& words) {
  const bool runs_job = !words.command.empty();
  if (words.positionals.empty() != runs_job) {
    return refuse(
        {"check needs a recording or a command", runs_job ? "both were given" : "neither was given",
         "lowtide check --budget 20G train.lowtide, or lowtide check --budget 20G -- python train.py"});
  }
  const auto rules = parse_rules(flags);
  if (const auto* user_error = std::get_if<console::UserError>(&rules)) return refuse(*user_error);
  watch::WatchedJob job;
  if (runs_job) {
    watch::Settings settings;
    settings.output = flags.output;
    settings.show_report = false;
    job = watch::run_job(words.command, settings);
    if (job.recording.empty()) return console::ExitCode::Unreadable;
  }
  const std::string& path = runs_job ? job.recording : words.positionals.front();
  const auto result = report_recording(path, std::nullopt);
  if (const auto* user_error = std::get_if<console::UserError>(&result))
    return refuse(*user_error, console::ExitCode::Unreadable);

  const auto& report = std::get<model::Report>(result);
  const model::Gate gate = explain::check_rules(report, std::get<std::vector<model::Rule>>(rules));
  const std::string text =
      flags.json ? show::to_json(report, &gate) : check_text(report, gate, runs_job ? path : "");
  if (runs_job && !flags.json) {
    std::fputs(text.c_str(), stderr);  // standard output belongs to the job
  } else {
    Output output;
    output.write(text);
    if (!output.finish()) return console::ExitCode::Unreadable;
  }
  if (flags.junit) {
    const auto saved = write_file(*flags.junit, show::to_junit(report, gate));
    if (const auto* user_error = std::get_if<console::UserError>(&saved))
      return refuse(*user_error, console::ExitCode::Unreadable);
  }
  if (job.status != 0) {
    console::print_warning(fmt::format("the job failed with exit status {}", job.status));
    return console::ExitCode::Leak;
  }
  return console::exit_code_of(gate.outcome());
}

}  // namespace

Command check_command() {
  console::Flags<CheckFlags> flags;
  for (const auto& flag : gate_flags()) flags.emplace_back(flag);
  flags.emplace_back(console::takes_text({"output", "FILE", "with a command: the file for its recording"},
                                         &CheckFlags::output));
  flags.emplace_back(
      console::turns_on("json", "print the report as JSON, with the result of each rule", &CheckFlags::json));
  flags.emplace_back(console::takes_text({"junit", "FILE", "write JUnit XML with one test case per rule"},
                                         &CheckFlags::junit));
  return with_flags<CheckFlags>(
      {"check",
       "Check a recording or a job against rules, for CI: budget, growth, rate",
       "Checks the recording, or the job that it runs, against the rules. Without a rule, the run must not "
       "leak. A rule is undecided if the run is too short for it. A rule checks nothing else: --budget "
       "passes a leak that stays within the budget.",
       {"REC", "the recording, or -- and the command to run and watch", false, {}},
       {
           {"lowtide check train.lowtide", "is there a leak?"},
           {"lowtide check --budget 20G --no-oom train.lowtide", "does the job fit into 20 GiB?"},
           {"lowtide check --budget 20G -- python train.py", "run a job and check its peak"},
           {"lowtide check --max-growth 500M --after-warmup --junit m.xml train.lowtide",
            "in CI, with a file for the test report"},
           {"lowtide check --max-rate 1M/step train.lowtide", "accept slow growth"},
       },
       JobWords::AfterDashes},
      flags, run_check);
}

}  // namespace lowtide::cli

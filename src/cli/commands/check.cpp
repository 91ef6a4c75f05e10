// `lowtide check`: a gate for CI on a recording, or on a job that it runs.

#include <fmt/format.h>

#include <cstdio>
#include <variant>

#include "base/text.h"
#include "cli/commands/all.h"
#include "cli/gate_flags.h"
#include "cli/output.h"
#include "cli/refuse.h"
#include "cli/report_recording.h"
#include "console/user_error.h"
#include "explain/gate.h"
#include "show/export/junit.h"
#include "show/json/json.h"
#include "show/words.h"
#include "watch/run_job.h"

namespace lowtide::cli {
namespace {

struct CheckFlags : GateFlags {
  std::optional<std::string> output = {};
  bool json = false;
  std::optional<std::string> junit = {};
};

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
      flags.json ? show::to_json(report, &gate) : gate_text(gate) + show::headline(report) + "\n";
  if (runs_job && !flags.json) {
    // Standard output is the job's.
    std::fputs((text + "recording: " + base::printable(path) + "\n").c_str(), stderr);
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
    console::print_warning(fmt::format("the job itself failed with status {}", job.status));
    return console::ExitCode::Leak;
  }
  return console::exit_code_of(gate.outcome());
}

}  // namespace

Command check_command() {
  console::Flags<CheckFlags> flags;
  for (const auto& flag : gate_flags()) flags.emplace_back(flag);
  flags.emplace_back(console::takes_text({"output", "FILE", "with a command: where its recording goes"},
                                         &CheckFlags::output));
  flags.emplace_back(console::turns_on("json", "print the report as JSON, with the rules and how they fared",
                                       &CheckFlags::json));
  flags.emplace_back(console::takes_text({"junit", "FILE", "write the rules as JUnit XML, a test case each"},
                                         &CheckFlags::junit));
  return with_flags<CheckFlags>(
      {"check",
       "Hold a recording to rules, for CI: budget, growth, rate",
       "Exits with 0 when every rule is kept, 1 when one is broken, 4 when none is broken but one cannot be "
       "decided "
       "from what was seen. Without a rule: the run must not leak.",
       {"REC", "the recording; or -- and the command to run and watch", false, {}},
       {
           {"lowtide check train.lowtide", "is there a leak?"},
           {"lowtide check --budget 20G --no-oom train.lowtide", "does it fit?"},
           {"lowtide check --budget 20G -- python train.py", "run it, watch it, and hold it to the budget"},
           {"lowtide check --max-growth 500M --after-warmup --junit m.xml train.lowtide",
            "in CI, with a file for its test report"},
           {"lowtide check --max-rate 1M/step train.lowtide", "slower than this is accepted"},
       },
       JobWords::AfterDashes},
      flags, run_check);
}

}  // namespace lowtide::cli

#include "cli/watch_flags.h"

#include <fmt/format.h>

#include "base/units.h"
#include "cli/report_style.h"

namespace lowtide::cli {
namespace {

constexpr double kShortestIntervalS = 0.01;
constexpr double kLongestIntervalS = 3600;

console::UserError refused(const std::string& flag, const std::string& value, const std::string& why,
                           const std::string& hint) {
  return {fmt::format("--{} cannot be '{}'", flag, value), why, hint};
}

}  // namespace

std::vector<Flag> watch_flags() {
  return {
      {"output", "FILE", "where the recording goes; default: lowtide-TIME-PID.lowtide here"},
      {"interval", "TIME", "read every TIME, e.g. 500ms; default: 250ms at first, 1s after five minutes"},
      {"limit", "SIZE", "forecast when this much is reached; default: the cgroup's limit or the machine"},
      {"duration", "TIME", "stop watching after TIME; the job goes on"},
      {"gate", "", "exit 1 on a leak and 4 when inconclusive, instead of the job's own status"},
      {"quiet", "", "at the end only the answer and where the recording is"},
      {"no-status", "", "no line on the terminal while the job runs"},
      {"no-report", "", "no words at the end"},
      {"no-recording", "", "keep nothing"},
      {"no-gpu", "", "do not ask the driver for GPU memory"},
      {"no-snapshots", "",
       "do not look into the job's Pythons now and then, in a forked child, for what holds memory; while it "
       "runs, SIGUSR2 to "
       "lowtide asks for a look now"},
      {"no-pss", "", "do not read shared pages: cheaper, and they are counted once per process"},
      {"no-steps", "", "do not read training steps from the job's output file"},
  };
}

Flag trim_trial_flag() {
  return {"trim-trial", "",
          "at the end of the watching have the job call malloc_trim(0) once: what the allocator keeps is "
          "given back and told; the job waits for it, up to half a second for a million free chunks"};
}

Flag screen_flag() {
  return {"screen", "",
          "show it on the whole terminal while it runs: verdict, plot, processes, lines that allocate, what "
          "holds memory; h tells the keys"};
}

std::variant<watch::Settings, console::UserError> parse_watch_flags(const Arguments& arguments,
                                                                    std::string_view verb) {
  watch::Settings flags;
  const std::string help = fmt::format("lowtide {} --help", verb);
  if (const auto text = arguments.text("interval")) {
    const auto seconds = base::parse_seconds(*text);
    if (!seconds || seconds.value() < kShortestIntervalS || seconds.value() > kLongestIntervalS) {
      return refused("interval", *text, "it is a time from 10ms to 1h", "--interval 500ms or --interval 1s");
    }
    flags.interval_s = seconds.value();
  }
  if (const auto text = arguments.text("duration")) {
    const auto seconds = base::parse_seconds(*text);
    if (!seconds || seconds.value() <= 0) {
      return refused("duration", *text, "it is a time with its unit", "--duration 10min or --duration 2h");
    }
    flags.duration_s = seconds.value();
  }
  if (const auto text = arguments.text("limit")) {
    const auto limit = base::parse_size(*text);
    if (!limit || limit.value() < kSmallestLimit) {
      return refused("limit", *text, "it is a size of at least 1 MB, with its unit",
                     "--limit 32G or --limit 500M");
    }
    flags.limit_bytes = limit.value();
  }
  flags.output = arguments.text("output");
  if (flags.output && flags.output->empty()) return refused("output", "", "it names a file", help);
  flags.gate = arguments.has("gate");
  flags.quiet = arguments.has("quiet");
  flags.show_status = !arguments.has("no-status");
  flags.show_report = !arguments.has("no-report");
  flags.keep_recording = !arguments.has("no-recording");
  flags.use_gpu = !arguments.has("no-gpu");
  flags.use_pss = !arguments.has("no-pss");
  flags.take_snapshots = !arguments.has("no-snapshots");
  flags.deep = arguments.has("deep");
  flags.use_agent = !arguments.has("no-agent");
  flags.read_steps = !arguments.has("no-steps");
  flags.steps_from_output = arguments.has("steps-from-output");
  flags.trim_trial = arguments.has("trim-trial");
  flags.screen = arguments.has("screen");
  if (flags.screen && flags.steps_from_output) {
    return console::UserError{
        "--screen and --steps-from-output exclude each other",
        "with the screen the job's output goes into a file, and its steps are read from there",
        "lowtide run --screen -- python train.py"};
  }
  if (flags.trim_trial && verb == "attach" && !flags.deep) {
    return console::UserError{"--trim-trial needs --deep", "the agent in the job is who calls malloc_trim",
                              "lowtide attach --deep --trim-trial 4711"};
  }
  if (flags.trim_trial && verb == "run" && (!flags.duration_s || !flags.use_agent)) {
    return console::UserError{
        fmt::format("--trim-trial {}",
                    flags.use_agent ? "needs --duration" : "and --no-agent exclude each other"),
        flags.use_agent ? "it is made at the end of the watching, and there must be a job left then"
                        : "the agent in the job is who calls malloc_trim",
        "lowtide run --duration 10min --trim-trial -- python train.py"};
  }
  return flags;
}

}  // namespace lowtide::cli

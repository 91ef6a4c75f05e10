#include "watch/flags.h"

#include <limits>

namespace lowtide::watch {

using console::takes_seconds;
using console::takes_text;
using console::turns_off;
using console::turns_on;

console::Flags<Settings> watch_flags() {
  return {
      takes_text({"output", "FILE", "where the recording goes; default: lowtide-TIME-PID.lowtide here"},
                 &Settings::output, {"it names a file"}),
      takes_seconds(
          {"interval", "TIME", "read every TIME, e.g. 500ms; default: 250ms at first, 1s after five minutes"},
          &Settings::interval_s, 0.01, 3600,
          {"it is a time from 10ms to 1h", "--interval 500ms or --interval 1s"}),
      console::limit_flag("forecast when this much is reached; default: the cgroup's limit or the machine",
                          &Settings::limit_bytes, "--limit 32G or --limit 500M"),
      takes_seconds({"duration", "TIME", "stop watching after TIME; the job goes on"}, &Settings::duration_s,
                    std::numeric_limits<double>::min(), std::numeric_limits<double>::infinity(),
                    {"it is a time with its unit", "--duration 10min or --duration 2h"}),
      turns_on("gate", "exit 1 on a leak and 4 when inconclusive, instead of the job's own status",
               &Settings::gate),
      turns_on("quiet", "at the end only the answer and where the recording is", &Settings::quiet),
      turns_off("no-status", "no line on the terminal while the job runs", &Settings::show_status),
      turns_off("no-report", "no words at the end", &Settings::show_report),
      turns_off("no-recording", "keep nothing", &Settings::keep_recording),
      turns_off("no-gpu", "do not ask the driver for GPU memory", &Settings::use_gpu),
      turns_off("no-snapshots",
                "do not look into the job's Pythons now and then, in a forked child, for what holds memory; "
                "while it runs, SIGUSR2 to lowtide asks for a look now",
                &Settings::take_snapshots),
      turns_off("no-pss", "do not read shared pages: cheaper, and they are counted once per process",
                &Settings::use_pss),
      turns_off("no-steps", "do not read training steps from the job's output file", &Settings::read_steps),
  };
}

console::Flag<Settings> trim_trial_flag() {
  return turns_on("trim-trial",
                  "at the end of the watching have the job call malloc_trim(0) once: what the allocator "
                  "keeps is given back and told; the job waits for it, up to half a second for a million "
                  "free chunks",
                  &Settings::trim_trial);
}

console::Flag<Settings> screen_flag() {
  return turns_on("screen",
                  "show it on the whole terminal while it runs: verdict, plot, processes, lines that "
                  "allocate, what holds memory; h tells the keys",
                  &Settings::screen);
}

console::Flag<Settings> deep_flag() {
  return turns_on("deep", "load the allocation agent into the process: which lines allocate what grows",
                  &Settings::deep);
}

}  // namespace lowtide::watch

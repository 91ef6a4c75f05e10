#include "watch/flags.h"

#include <limits>

namespace lowtide::watch {

using console::takes_seconds;
using console::takes_text;
using console::turns_off;
using console::turns_on;

console::Flags<Settings> watch_flags() {
  return {
      takes_text({"output", "FILE",
                  "write the recording to FILE; default: lowtide-TIME-PID.lowtide in the current folder"},
                 &Settings::output, {"the value must be a file name"}),
      takes_seconds({"interval", "TIME",
                     "read memory every TIME, e.g. 500ms; default: 250ms at first, 1s after five minutes"},
                    &Settings::interval_s, 0.01, 3600,
                    {"the value must be a time from 10ms to 1h", "--interval 500ms or --interval 1s"}),
      console::limit_flag(
          "forecast when memory reaches SIZE; default: the limit of the cgroup, or the memory of the host",
          &Settings::limit_bytes, "--limit 32G or --limit 500M"),
      takes_seconds({"duration", "TIME", "stop watching after TIME; the job keeps running"},
                    &Settings::duration_s, std::numeric_limits<double>::min(),
                    std::numeric_limits<double>::infinity(),
                    {"the value must be a time with a unit", "--duration 10min or --duration 2h"}),
      turns_on("gate", "exit with 1 on a leak and with 4 if the verdict is inconclusive", &Settings::gate),
      turns_on("quiet", "print only the verdict and the path of the recording at the end", &Settings::quiet),
      turns_off("no-status", "do not show the status line while the job runs", &Settings::show_status),
      turns_off("no-report", "do not print the final report", &Settings::show_report),
      turns_off("no-recording", "do not keep the recording", &Settings::keep_recording),
      turns_off("no-gpu", "do not read GPU memory from the driver", &Settings::use_gpu),
      turns_off("no-snapshots",
                "do not take heap snapshots of the job's Python processes (they need the agent; send SIGUSR2 "
                "to lowtide to take one now)",
                &Settings::take_snapshots),
      turns_off("no-source",
                "do not copy the job's Python files into the recording; reports then quote no lines of code",
                &Settings::copy_sources),
      turns_off("no-pss", "skip PSS: cheaper, but memory that processes share is counted in each of them",
                &Settings::use_pss),
      turns_off("no-steps", "do not read training steps from the job's output file", &Settings::read_steps),
  };
}

console::Flag<Settings> trim_trial_flag() {
  return turns_on("trim-trial",
                  "before lowtide stops watching, make the job call malloc_trim(0) once and report how much "
                  "it released; this pauses the job, up to 0.5 s for a million free chunks",
                  &Settings::trim_trial);
}

console::Flag<Settings> screen_flag() {
  return turns_on("screen",
                  "use the whole terminal to show verdict, plot, processes, allocation lines and variables "
                  "while the job runs; h shows the keys",
                  &Settings::screen);
}

console::Flag<Settings> deep_flag() {
  return turns_on("deep", "load the agent into the job to find the lines and variables that hold the memory",
                  &Settings::deep);
}

}  // namespace lowtide::watch

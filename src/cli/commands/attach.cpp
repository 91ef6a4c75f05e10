// `lowtide attach`: watch a job that runs already.

#include <fmt/format.h>
#include <unistd.h>

#include <optional>

#include "cli/commands/all.h"
#include "cli/parse.h"
#include "cli/refuse.h"
#include "console/user_error.h"
#include "watch/attach_job.h"
#include "watch/find_jobs.h"
#include "watch/flags.h"

namespace lowtide::cli {
namespace {

struct AttachFlags : watch::Settings {
  bool find = false;
};

console::ExitCode run_attach(const AttachFlags& flags, const Words& words) {
  if (flags.trim_trial && !flags.deep) {
    return refuse({"--trim-trial needs --deep", "the agent in the job is who calls malloc_trim",
                   "lowtide attach --deep --trim-trial 4711"});
  }
  if (flags.find == !words.positionals.empty()) {
    return refuse({"attach needs a pid or --find", flags.find ? "both were given" : "neither was given",
                   "lowtide attach 4711, or lowtide attach --find"});
  }
  if (flags.find) {
    const auto job = watch::choose_job({});
    if (!job) {
      return refuse({"found no training process",
                     "no python that has torch, jax or tensorflow loaded runs as this user",
                     "lowtide attach PID; ps -eo pid,rss,args --sort -rss shows the largest"},
                    console::ExitCode::Unreadable);
    }
    return watch::attach_job(*job, flags);
  }
  const auto pid = parse_pid(words.positionals.front());
  if (!pid) {
    return refuse({fmt::format("'{}' is not a pid", words.positionals.front()), "a pid is a number above 0",
                   "lowtide attach --find"});
  }
  if (*pid == ::getpid()) {
    return refuse({fmt::format("cannot watch process {}: it is this lowtide", *pid),
                   "what it did would be seen as the job's doing", "lowtide attach --find"});
  }
  return watch::attach_job(*pid, flags);
}

}  // namespace

Command attach_command() {
  console::Flags<AttachFlags> flags = {
      console::turns_on("find", "look for the training process with the most memory, and watch that",
                        &AttachFlags::find),
      watch::deep_flag(), watch::screen_flag(), watch::trim_trial_flag()};
  for (const auto& flag : watch::watch_flags()) flags.emplace_back(flag);
  return with_flags<AttachFlags>(
      {"attach",
       "Watch a job that runs already",
       "Watches the process and everything below it from outside: nothing enters the job, nothing is "
       "stopped, "
       "unless --deep is given. Then one thread of each process is borrowed for well under a millisecond to "
       "load the agent, and at the end to take its hooks out. Processes that start later are entered after "
       "a second; the report lists those that could not be entered. Ctrl-C ends the watching and prints what "
       "was seen; the job goes on.",
       {"PID", "the process; if it is a wrapper, what it started is watched", false, {}},
       {
           {"lowtide attach 4711", "watch process 4711 and its children"},
           {"lowtide attach --deep 4711", "and name the lines that allocate"},
           {"lowtide attach --find", "find the training job by itself"},
           {"lowtide attach --screen --deep 4711", "see it live on the whole terminal; q detaches"},
           {"lowtide attach --duration 10min --gate 4711", "for scripts: exit 1 when it leaks"},
       }},
      flags, run_attach);
}

}  // namespace lowtide::cli

// `lowtide attach`: watch a running job.

#include <fmt/format.h>
#include <unistd.h>

#include <optional>

#include "cli/commands/all.h"
#include "cli/syntax/parse.h"
#include "cli/syntax/refuse.h"
#include "console/user_error.h"
#include "watch/attach_job.h"
#include "watch/flags.h"
#include "watch/job/find_jobs.h"

namespace lowtide::cli {
namespace {

struct AttachFlags : watch::Settings {
  bool find = false;
};

console::ExitCode run_attach(const AttachFlags& flags, const Words& words) {
  if (flags.trim_trial && !flags.deep) {
    return refuse({"--trim-trial needs --deep", "the agent in the job calls malloc_trim",
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
                     "no process that this user can read has torch, jax or tensorflow loaded",
                     "lowtide attach PID; ps -eo pid,rss,args --sort -rss shows the largest processes"},
                    console::ExitCode::Unreadable);
    }
    return watch::attach_job(*job, flags);
  }
  const auto pid = parse_pid(words.positionals.front());
  if (!pid) {
    return refuse({fmt::format("'{}' is not a pid", words.positionals.front()), "a pid is a positive number",
                   "lowtide attach --find"});
  }
  if (*pid == ::getpid()) {
    return refuse({fmt::format("cannot watch process {}: it is this lowtide process", *pid),
                   "lowtide cannot watch itself", "lowtide attach --find"});
  }
  return watch::attach_job(*pid, flags);
}

}  // namespace

Command attach_command() {
  console::Flags<AttachFlags> flags = {
      console::turns_on("find", "find the training process with the most memory and watch it",
                        &AttachFlags::find),
      watch::deep_flag(), watch::screen_flag(), watch::trim_trial_flag()};
  for (const auto& flag : watch::watch_flags()) flags.emplace_back(flag);
  return with_flags<AttachFlags>(
      {"attach",
       "Watch a running job",
       "Watches a process and all its descendants from outside. Ctrl-C stops watching and prints the report; "
       "the job keeps running.\n"
       "Without --deep, lowtide does not enter the job: the report has no allocation lines and no variables, "
       "and no heap snapshots are taken. With --deep, lowtide loads its agent into each process. It stops "
       "one "
       "thread for less than a millisecond to do so, and again at the end to remove the hooks. A process "
       "that "
       "starts later is entered after one second. The report lists the processes that could not be entered.",
       {"PID", "the process to watch, with all its descendants", false, {}},
       {
           {"lowtide attach 4711", "watch process 4711 and its descendants"},
           {"lowtide attach --deep 4711", "also find the lines and variables that hold the memory"},
           {"lowtide attach --find", "find the training job and watch it"},
           {"lowtide attach --screen --deep 4711", "show it live on the whole terminal; q detaches"},
           {"lowtide attach --duration 10min --gate 4711", "use it in a script: exit with 1 on a leak"},
       }},
      flags, run_attach);
}

}  // namespace lowtide::cli

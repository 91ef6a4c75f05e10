// `lowtide attach`: watch a job that runs already.

#include <fmt/format.h>
#include <unistd.h>

#include <optional>
#include <variant>

#include "cli/commands/all.h"
#include "cli/parse.h"
#include "cli/watch_flags.h"
#include "console/user_error.h"
#include "watch/attach_job.h"
#include "watch/find_jobs.h"

namespace lowtide::cli {
namespace {

console::ExitCode refuse(std::string what, std::string why, std::string hint,
                         console::ExitCode code = console::ExitCode::Usage) {
  console::print_error({std::move(what), std::move(why), std::move(hint)});
  return code;
}

console::ExitCode run(const Arguments& arguments) {
  const auto flags = parse_watch_flags(arguments, "attach");
  if (const auto* user_error = std::get_if<console::UserError>(&flags)) {
    console::print_error(*user_error);
    return console::ExitCode::Usage;
  }
  const bool find = arguments.has("find");
  if (find == !arguments.positionals().empty()) {
    return refuse("attach needs a pid or --find", find ? "both were given" : "neither was given",
                  "lowtide attach 4711, or lowtide attach --find");
  }
  if (find) {
    const auto job = watch::choose_job({});
    if (!job) {
      return refuse("found no training process",
                    "no python that has torch, jax or tensorflow loaded runs as this user",
                    "lowtide attach PID; ps -eo pid,rss,args --sort -rss shows the largest",
                    console::ExitCode::Unreadable);
    }
    return watch::attach_job(*job, std::get<watch::Settings>(flags));
  }
  const auto pid = parse_pid(arguments.positionals().front());
  if (!pid) {
    return refuse(fmt::format("'{}' is not a pid", arguments.positionals().front()),
                  "a pid is a number above 0", "lowtide attach --find");
  }
  if (*pid == ::getpid()) {
    return refuse(fmt::format("cannot watch process {}: it is this lowtide", *pid),
                  "what it did would be seen as the job's doing", "lowtide attach --find");
  }
  return watch::attach_job(*pid, std::get<watch::Settings>(flags));
}

}  // namespace

Command attach_command() {
  std::vector<Flag> flags = {
      {"find", "", "look for the training process with the most memory, and watch that"},
      {"deep", "", "load the allocation agent into the process: which lines allocate what grows"},
      screen_flag(),
      trim_trial_flag()};
  for (const Flag& flag : watch_flags()) flags.push_back(flag);
  return {
      "attach",
      "Watch a job that runs already",
      "Watches the process and everything below it from outside: nothing enters the job, nothing is stopped, "
      "unless --deep is given. Then one thread is borrowed for well under a millisecond to load the agent, "
      "and at "
      "the end to take its hooks out. Ctrl-C ends the watching and tells what was seen; the job goes on.",
      {"PID", "the process; if it is a wrapper, what it started is watched", false, {}},
      flags,
      {
          {"lowtide attach 4711", "watch process 4711 and its children"},
          {"lowtide attach --deep 4711", "and name the lines that allocate"},
          {"lowtide attach --find", "find the training job by itself"},
          {"lowtide attach --screen --deep 4711", "see it live on the whole terminal; q detaches"},
          {"lowtide attach --duration 10min --gate 4711", "for scripts: exit 1 when it leaks"},
      },
      run,
  };
}

}  // namespace lowtide::cli

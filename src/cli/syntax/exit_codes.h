// What each exit code means for each command. The help, the man page and the table in docs/json.md are made
// from this.
#pragma once

#include <array>
#include <string_view>

#include "console/exit_code.h"

namespace lowtide::cli {

struct ExitMeaning {
  console::ExitCode code;
  std::string_view meaning;  // empty: the command never returns it

  friend bool operator==(const ExitMeaning&, const ExitMeaning&) = default;
};

struct VerbExits {
  std::string_view verb;
  std::string_view no_leak = "no leak";
  std::string_view leak = "leak, or the job ran out of memory";
  std::string_view unreadable = "the input could not be read, or the output could not be written";
  std::string_view inconclusive = "inconclusive: not enough data";

  [[nodiscard]] constexpr std::array<ExitMeaning, 6> rows() const {
    using console::ExitCode;
    return {{{ExitCode::NoLeak, no_leak},
             {ExitCode::Leak, leak},
             {ExitCode::Usage, "the command line is wrong"},
             {ExitCode::Unreadable, unreadable},
             {ExitCode::Inconclusive, inconclusive},
             {ExitCode::Bug, "internal error"}}};
  }
};

// The meanings for commands that return a verdict.
inline constexpr VerbExits kVerdictExits = {};

inline constexpr VerbExits kVerbExits[] = {
    {.verb = "analyze"},
    {.verb = "attach",
     .no_leak = "the process was watched; with --gate: no leak",
     .leak = "with --gate: leak, or the job ran out of memory",
     .unreadable = "the process could not be watched",
     .inconclusive = "with --gate: inconclusive"},
    {.verb = "check",
     .no_leak = "every rule passed",
     .leak = "a rule failed; without rules: leak, or the job ran out of memory; or the job failed",
     .inconclusive = "no rule failed, but there is not enough data to decide one"},
    {.verb = "compare",
     .no_leak = "the second recording: no leak; with --html: the page was written",
     .leak = "the second recording: leak, or the job ran out of memory",
     .inconclusive = "the second recording: inconclusive"},
    {.verb = "completion",
     .no_leak = "the script was written",
     .leak = "",
     .unreadable = "the output could not be written",
     .inconclusive = ""},
    {.verb = "doctor",
     .no_leak = "lowtide run can watch the jobs of this user",
     .leak = "",
     .unreadable = "lowtide run cannot watch the jobs of this user",
     .inconclusive = ""},
    {.verb = "plan",
     .no_leak = "the estimates are within --limit and --gpu-limit, or no limit was given",
     .leak = "an estimate is above --limit or --gpu-limit",
     .inconclusive = ""},
    {.verb = "report",
     .no_leak = "no leak; with --html, --pprof, --folded or --perfetto: the file was written"},
    {.verb = "run",
     .no_leak = "the job succeeded (run returns the status of the job); with --gate: and no leak",
     .leak = "with --gate: the job succeeded, but it leaks or a process of it ran out of memory",
     .unreadable = "",
     .inconclusive = "with --gate: the job succeeded; inconclusive, or it could not be watched"},
    {.verb = "serve",
     .no_leak = "a signal ended it",
     .leak = "",
     .unreadable = "the recording or the process could not be read, or the port could not be opened",
     .inconclusive = ""},
    {.verb = "snapshot",
     .no_leak = "the snapshot was taken",
     .leak = "",
     .unreadable = "the process could not be read, or the output could not be written",
     .inconclusive = ""},
};

constexpr const VerbExits* find_exits(std::string_view verb) {
  for (const VerbExits& exits : kVerbExits) {
    if (exits.verb == verb) return &exits;
  }
  return nullptr;
}

}  // namespace lowtide::cli

#pragma once

#include <string_view>

#include "model/gate.h"
#include "model/report.h"
#include "model/verdict.h"

namespace lowtide::console {

// The exit status is part of the interface: scripts and CI depend on it (docs/json.md).
enum class ExitCode : int { NoLeak = 0, Leak = 1, Usage = 2, Unreadable = 3, Inconclusive = 4, Bug = 70 };

constexpr ExitCode exit_code_of(model::VerdictKind kind) {
  switch (kind) {
    case model::VerdictKind::Leak:
      return ExitCode::Leak;
    case model::VerdictKind::Inconclusive:
      return ExitCode::Inconclusive;
    case model::VerdictKind::Warmup:
    case model::VerdictKind::Spikes:
    case model::VerdictKind::Stable:
      return ExitCode::NoLeak;
  }
  return ExitCode::Bug;
}

// Of every command that returns the verdict on a job. A job that ran out of memory has failed, whatever its
// series did.
inline ExitCode exit_code_of(const model::Report& report) {
  return report.answer.kind == model::AnswerKind::Oom ? ExitCode::Leak : exit_code_of(report.verdict.kind);
}

constexpr ExitCode exit_code_of(model::Outcome outcome) {
  switch (outcome) {
    case model::Outcome::Kept:
      return ExitCode::NoLeak;
    case model::Outcome::Broken:
      return ExitCode::Leak;
    case model::Outcome::Undecided:
      break;
  }
  return ExitCode::Inconclusive;
}

// For the table in README.md.
constexpr std::string_view meaning_of(model::VerdictKind kind) {
  switch (kind) {
    case model::VerdictKind::Leak:
      return "the floor rises and nothing says that it will stop";
    case model::VerdictKind::Warmup:
      return "it rose, and has stopped; the plateau is what the job needs";
    case model::VerdictKind::Spikes:
      return "the floor is flat under excursions that recover; the peaks say how big a machine you need";
    case model::VerdictKind::Stable:
      return "flat";
    case model::VerdictKind::Inconclusive:
      return "not enough was seen; it says what it leans to, and what would settle it";
  }
  return {};
}

// The exit code for several inputs: unreadable beats leak beats inconclusive beats no leak.
constexpr ExitCode worse_of(ExitCode a, ExitCode b) {
  for (const ExitCode code :
       {ExitCode::Bug, ExitCode::Usage, ExitCode::Unreadable, ExitCode::Leak, ExitCode::Inconclusive}) {
    if (a == code || b == code) return code;
  }
  return ExitCode::NoLeak;
}

}  // namespace lowtide::console

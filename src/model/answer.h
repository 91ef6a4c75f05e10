// The answer of a report: what happened, where, how fast, how sure, and what to change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/code_line.h"
#include "model/verdict.h"

namespace lowtide::model {

// `Bounded`: grows to a known end, for example by copy-on-write. `Oom`: the job ended for lack of memory.
// The others are those of the verdict.
enum class AnswerKind { Leak, Bounded, Oom, Warmup, Spikes, Stable, Inconclusive };

struct Answer {
  AnswerKind kind = AnswerKind::Inconclusive;
  std::optional<std::size_t> finding = {};  // the one that it is based on, in the report's list
  std::optional<CodeLine> line = {};
  std::string variable = {};
  std::string process = {};  // "worker 1 only", "2 workers"; empty: the job has one process that matters
  std::optional<double> rate = {};  // bytes per step or second; absent: memory is flat
  Axis axis = Axis::Time;
  double confidence = 0;                        // of an inconclusive answer: that of its lean
  std::optional<std::uint64_t> end_bytes = {};  // where bounded growth ends
  std::string fix = {};
};

constexpr std::string_view to_string(AnswerKind kind) {
  switch (kind) {
    case AnswerKind::Leak:
      return "leak";
    case AnswerKind::Bounded:
      return "bounded";
    case AnswerKind::Oom:
      return "oom";
    case AnswerKind::Warmup:
      return "warmup";
    case AnswerKind::Spikes:
      return "spikes";
    case AnswerKind::Stable:
      return "stable";
    case AnswerKind::Inconclusive:
      return "inconclusive";
  }
  return {};
}

}  // namespace lowtide::model

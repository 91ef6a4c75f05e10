// Anything that judges a series: a baseline, or our detector.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/verdict.h"
#include "verdict/series.h"

namespace lowtide::bench {

// What a method says, in the terms in which it is scored.
struct Opinion {
  model::VerdictKind kind = model::VerdictKind::Inconclusive;
  std::optional<double> confidence = std::nullopt;
  std::optional<double> rate_mb = std::nullopt;  // per step or per second, as `axis` says
  model::Axis axis = model::Axis::Time;
  std::optional<std::size_t> warmup_end_idx = std::nullopt;
  std::optional<double> plateau_mb = std::nullopt;
};

struct Moment {
  std::size_t samples = 0;
  model::VerdictKind kind = model::VerdictKind::Inconclusive;
};

struct Outcome {
  Opinion last;                 // on the whole series
  std::vector<Moment> moments;  // as it arrived; empty when not asked for
};

struct Method {
  std::string name;   // in tables and JSON
  std::string title;  // what it does, in a line
  // Judges the series at each of `moments` (rising sample counts) and at its end.
  std::function<Outcome(const Series&, std::span<const std::size_t> moments)> judge;
};

// The numbers of samples at which a run is judged while it goes on: 24,
// log-spaced from 6 to all.
[[nodiscard]] std::vector<std::size_t> log_spaced_moments(std::size_t samples);

[[nodiscard]] std::vector<Method> baseline_methods();
[[nodiscard]] Method detector_method();

}  // namespace lowtide::bench

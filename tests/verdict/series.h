// A series with its truth: what the generator writes, the loader reads and the scorer asks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/sample.h"
#include "model/verdict.h"

namespace lowtide::bench {

// What is known of a series because somebody made it. Absent = does not apply.
struct Truth {
  model::VerdictKind kind = model::VerdictKind::Inconclusive;
  std::vector<model::VerdictKind> accept;  // kinds that also count as right; holds `kind`
  std::optional<double> leak_mb_per_step;
  std::optional<double> leak_mb_per_s;
  std::optional<std::size_t> leak_start_idx;
  std::optional<double> leak_start_step;
  std::optional<std::size_t> warmup_end_idx;
  std::optional<double> warmup_end_step;
  std::optional<double> plateau_mb;
  int restarts = 0;
};

struct Series {
  std::string id;
  std::string family;
  Truth truth;
  std::vector<double> at_s;
  std::vector<double> step;  // NaN = missing
  std::vector<double> rss_mb;

  [[nodiscard]] std::size_t size() const { return rss_mb.size(); }
};

// The corpora say MB; lowtide reads MB as 10^6 bytes (base/units.h).
inline constexpr double kBytesPerMb = 1e6;

[[nodiscard]] inline model::Sample to_sample(const Series& series, std::size_t index) {
  return {.at_s = series.at_s[index],
          .step = series.step[index],
          .bytes = static_cast<std::uint64_t>(std::llround(series.rss_mb[index] * kBytesPerMb))};
}

[[nodiscard]] inline bool accepts(const Truth& truth, model::VerdictKind kind) {
  return std::find(truth.accept.begin(), truth.accept.end(), kind) != truth.accept.end();
}

// A healthy series: the verdict leak is a false alarm.
[[nodiscard]] constexpr bool is_clear(model::VerdictKind kind) {
  return kind == model::VerdictKind::Warmup || kind == model::VerdictKind::Spikes ||
         kind == model::VerdictKind::Stable;
}

}  // namespace lowtide::bench

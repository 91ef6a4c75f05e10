// Samples in, verdict out.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "judge/assessment.h"
#include "judge/generation.h"
#include "judge/restart.h"
#include "model/outline.h"
#include "model/sample.h"
#include "model/verdict.h"

namespace lowtide::judge {

// Whether an inconclusive verdict states how much longer the run must be, which takes as long as twenty
// verdicts.
enum class Needs { Estimated, NotEstimated };

// Judges one series as it arrives. Memory is bounded however long the series
// is; add() is amortised O(1); verdict() may be asked at any moment.
class Detector {
 public:
  Detector();

  void add(const model::Sample& sample);

  // The process was restarted (another pid, "[Process restarted]"). Without this
  // call the detector searches the series itself for restarts.
  void restart();

  [[nodiscard]] model::Verdict verdict(Needs estimate = Needs::Estimated) const;

  // Absent when the floor does not rise, or the limit is not above it.
  [[nodiscard]] std::optional<model::Forecast> forecast(model::LimitKind limit,
                                                        std::uint64_t limit_bytes) const;

  // The series up to the last sample, in a bounded number of stretches.
  [[nodiscard]] model::Outline outline() const;

  [[nodiscard]] std::uint64_t samples() const { return samples_; }
  // The generations of the process, the latest last. The oldest are dropped.
  [[nodiscard]] std::vector<Generation> generations() const;

 private:
  void begin_generation();
  void put(const Reading& reading);

  std::vector<Generation> generations_;
  RestartFinder restarts_;
  std::vector<Reading> unclear_;  // a dip or a restart: not yet known
  std::uint64_t samples_ = 0;
};

// The verdict of an assessment, in words and numbers. What an inconclusive one needs depends on whether the
// run continues, and is not set.
model::Verdict to_verdict(const Assessment& assessment, std::uint64_t samples);

}  // namespace lowtide::judge

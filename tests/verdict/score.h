// How good a method is on a corpus. Shares are percent; NaN = nothing to measure on.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "verdict/method.h"
#include "verdict/series.h"

namespace lowtide::bench {

inline constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
inline constexpr std::size_t kKinds = 5;  // in the order of model::VerdictKind

// A count out of so many, because a share without its count cannot be weighed.
struct Tally {
  std::size_t hits = 0;
  std::size_t of = 0;

  void add(bool hit) {
    hits += hit ? 1 : 0;
    ++of;
  }
  [[nodiscard]] double percent() const {
    return of > 0 ? 100.0 * static_cast<double>(hits) / static_cast<double>(of) : kNothing;
  }
};

struct ErrorSpread {
  double mean = kNothing;
  double median = kNothing;
  double p90 = kNothing;
  std::size_t of = 0;
};

struct FinalScore {
  Tally precision;              // of those called leak, the leaks
  Tally recall;                 // of the leaks, those called so
  Tally false_alarms;           // of the innocent (warmup, spikes, stable), those called leak
  Tally leak_on_inconclusive;   // of the undecidable, those called leak
  Tally clear_on_inconclusive;  // of the undecidable, those cleared
  Tally missed_as_clear;        // of the leaks, those cleared: the dangerous miss
  Tally inconclusive_on_innocent;
  Tally strict;                  // over five kinds
  Tally lenient;                 // also-right kinds count
  ErrorSpread rate_error;        // relative, percent, of leaks found
  ErrorSpread warmup_end_error;  // percent of the run, of warm-ups found
  ErrorSpread plateau_error;     // relative, percent
};

// Judged at many moments while the samples arrive.
struct LiveScore {
  Tally ever_leak;             // innocent series called leak at any moment
  Tally ever_leak_after_ramp;  // the same, not counting moments before a warm-up's end (and 10% more)
  Tally ever_leak_on_inconclusive;
  Tally leak_before_onset;           // leaks called before they began
  Tally leak_before_end;             // leaks called for good before the series ends
  ErrorSpread delay_samples;         // from onset until it is called for good
  ErrorSpread delay_share;           // percent of the leak's span; leaks never called do not count
  double changes_median = kNothing;  // of kind, per series
  double changes_mean = kNothing;
};

struct CalibrationBin {
  double low = 0;
  double high = 1;
  std::size_t verdicts = 0;
  double mean_confidence = kNothing;  // percent
  Tally right = {};                   // also-right kinds count
  Tally right_strict = {};
};

struct FamilyScore {
  model::VerdictKind truth = model::VerdictKind::Inconclusive;
  std::array<std::size_t, kKinds> said{};
  Tally accepted;
  ErrorSpread rate_error;  // as in FinalScore
};

struct Score {
  FinalScore last;
  LiveScore live;
  std::vector<CalibrationBin> calibration;  // empty where the method gives no confidence
  Tally right_at_95;                        // of verdicts given at 95% or more, the right ones
  std::array<std::array<std::size_t, kKinds>, kKinds> confusion{};  // [truth][said]
  std::map<std::string, FamilyScore> families;
  double seconds = 0;
};

// Outcome i belongs to series i.
[[nodiscard]] FinalScore score_last(std::span<const Series> corpus, std::span<const Outcome> outcomes);
[[nodiscard]] LiveScore score_live(std::span<const Series> corpus, std::span<const Outcome> outcomes);
[[nodiscard]] std::vector<CalibrationBin> calibrate(std::span<const Series> corpus,
                                                    std::span<const Outcome> outcomes);

enum class Live { No, Yes };

// Runs the method over the corpus and scores it.
[[nodiscard]] Score score_method(const Method& method, std::span<const Series> corpus, Live live);

}  // namespace lowtide::bench

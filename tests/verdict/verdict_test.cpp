// Checks that the detector keeps the promises in the README, on the corpora of lowtide.
//
// A promise is about all series of a kind, and a corpus is a sample of them. The seeds are fixed, so the
// result of this test is fixed too. The bound allows for chance in the sample. It is the exact binomial
// bound: a detector that is exactly as good as promised would fall below it on one corpus in twenty.
// Example: a precision of 99% over 370 calls allows 7 wrong calls (98.1%); a detector of 97% has 11 wrong
// calls and fails.
//
// A median has no such allowance.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verdict/binomial.h"
#include "verdict/corpus.h"
#include "verdict/report.h"
#include "verdict/score.h"

namespace lowtide::bench {
namespace {

// The bounds are what was measured on other seeds that nobody tuned on (docs/design/verdict.md), rounded
// down. While a run continues, many leaks are called at its end only.
struct Promise {
  double precision = 0;
  double recall = 0;
  double false_alarms = 0;
  double strict = 0;
};

constexpr Promise kPlain{.precision = 99.5, .recall = 98, .false_alarms = 0.2, .strict = 97.5};
constexpr Promise kShifted{.precision = 99, .recall = 97.5, .false_alarms = 0.3, .strict = 97};
constexpr Promise kOther{.precision = 99.5, .recall = 96.5, .false_alarms = 0.3, .strict = 97};
constexpr double kRateErrorMedian = 3;
constexpr double kEverLeakOnInnocent = 2.5;
constexpr double kLeakBeforeEnd = 30;
constexpr double kChangesMedian = 1;
constexpr double kRightAt95 = 95;

bool exceeds(const Tally& tally, double percent) {
  return falls_short({.hits = tally.of - tally.hits, .of = tally.of}, 100 - percent);
}

// In words, the promises that the score does not keep.
std::vector<std::string> broken_promises(const Score& score, const Promise& promise) {
  std::vector<std::string> broken;
  const auto at_least = [&](const char* what, const Tally& tally, double percent) {
    if (falls_short(tally, percent)) {
      broken.push_back(fmt::format("{}: {} of {}, promised {}%", what, tally.hits, tally.of, percent));
    }
  };
  const auto at_most = [&](const char* what, const Tally& tally, double percent) {
    if (exceeds(tally, percent)) {
      broken.push_back(
          fmt::format("{}: {} of {}, promised at most {}%", what, tally.hits, tally.of, percent));
    }
  };
  const auto median_at_most = [&](const char* what, double median, double limit) {
    if (!(median <= limit)) broken.push_back(fmt::format("{}: {:.1f}, promised {}", what, median, limit));
  };
  at_least("leak precision", score.last.precision, promise.precision);
  at_least("leak recall", score.last.recall, promise.recall);
  at_most("false alarms on innocent series", score.last.false_alarms, promise.false_alarms);
  at_least("strict accuracy", score.last.strict, promise.strict);
  median_at_most("median rate error, %", score.last.rate_error.median, kRateErrorMedian);
  at_most("innocent series ever called a leak", score.live.ever_leak, kEverLeakOnInnocent);
  at_least("leaks called before the end", score.live.leak_before_end, kLeakBeforeEnd);
  median_at_most("median changes of kind", score.live.changes_median, kChangesMedian);
  if (!score.calibration.empty()) at_least("right of those at 95% or more", score.right_at_95, kRightAt95);
  return broken;
}

struct Case {
  CorpusPlan plan;
  Promise promise;
};

// Seeds that nobody has tuned on; `./dev bench verdict` has others.
const Case kPlainCase{.plan = {.seed = 20261115, .series = 1000, .shifted = false}, .promise = kPlain};
const Case kShiftedCase{.plan = {.seed = 20261116, .series = 1000, .shifted = true}, .promise = kShifted};
const Case kOtherCase{.plan = {.seed = 20261117, .series = 1000, .other = true}, .promise = kOther};

void expect_promises_kept(const Case& item) {
  const std::vector<Series> corpus = make_corpus(item.plan);

  const Score score = score_method(detector_method(), corpus, Live::Yes);

  EXPECT_THAT(broken_promises(score, item.promise), testing::IsEmpty()) << "seed " << item.plan.seed << "\n"
                                                                        << confusion_table(score) << "\n"
                                                                        << family_table(score) << "\n"
                                                                        << calibration_table(score);
}

TEST(Verdict, the_promises_hold) {
  expect_promises_kept(kPlainCase);
}

TEST(Verdict, the_promises_hold_where_the_parameters_are_others) {
  expect_promises_kept(kShiftedCase);
}

TEST(Verdict, the_promises_hold_on_other_families) {
  expect_promises_kept(kOtherCase);
}

// The tests above can fail: what people use today does not pass it, and each for
// more than one reason. A corpus on which they passed would be too easy.
TEST(Verdict, the_baselines_break_the_promises) {
  CorpusPlan plan = kPlainCase.plan;
  plan.series = 300;
  const std::vector<Series> corpus = make_corpus(plan);

  for (const Method& method : baseline_methods()) {
    const Score score = score_method(method, corpus, Live::Yes);
    EXPECT_GE(broken_promises(score, kPlain).size(), 3U) << method.name;
  }
}

TEST(Verdict, the_bound_is_the_binomial_one) {
  EXPECT_FALSE(falls_short({.hits = 363, .of = 370}, 99));  // 7 wrong: as many in 8 of 100 such corpora
  EXPECT_TRUE(falls_short({.hits = 361, .of = 370}, 99));   // 9 wrong: in 1 of 100
  EXPECT_FALSE(exceeds({.hits = 3, .of = 500}, 0.3));
  EXPECT_TRUE(exceeds({.hits = 5, .of = 500}, 0.3));
  EXPECT_TRUE(falls_short({.hits = 0, .of = 0}, 99));  // nothing called is no precision
}

}  // namespace
}  // namespace lowtide::bench

// "needs about 300 more steps" must be true. These tests ask for it at early moments of generated runs,
// continue each run by exactly what was stated, and count how often the verdict is conclusive then.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/testing/effort.h"
#include "judge/detector.h"
#include "judge/live.h"
#include "judge/testing/generated_runs.h"

namespace lowtide::judge {
namespace {

using model::Sample;
using model::VerdictKind;

// Other seeds (1 to 5, 7, 20261118) were used to choose the constants of judge/missing.cpp.
constexpr std::uint64_t kSeed = 101;
constexpr std::size_t kReadings = 6500;
constexpr std::array<std::size_t, 7> kMoments = {6, 12, 24, 48, 96, 192, 384};
constexpr double kShareKept = 0.9;
constexpr double kMostOvershoot = 4;

// In steps or seconds; absent where no length is stated.
std::optional<double> stated_amount(const model::Needs& needs) {
  return model::has_length(needs) ? std::optional(needs.amount) : std::nullopt;
}

bool is_conclusive(const Detector& judge) {
  return assess(judge.generations()).decision.kind != VerdictKind::Inconclusive;
}
bool is_conclusive(const LiveVerdict& judge) {
  return judge.kind() != VerdictKind::Inconclusive;
}

double place(const Sample& sample) {
  return std::isnan(sample.step) ? sample.at_s : sample.step;
}

struct Count {
  std::size_t asked = 0;          // inconclusive verdicts
  std::size_t stated = 0;         // of them, with a number
  std::size_t kept = 0;           // of these, conclusive once the stated number had passed
  std::vector<double> overshoot;  // of these, what was stated divided by what was really needed

  [[nodiscard]] double share_kept() const { return static_cast<double>(kept) / static_cast<double>(stated); }
  [[nodiscard]] double median_overshoot() const {
    std::vector<double> sorted = overshoot;
    std::sort(sorted.begin(), sorted.end());
    return sorted.empty() ? 0 : sorted[sorted.size() / 2];
  }
};

// The first of up to 40 moments on the way at which the verdict is conclusive.
template <typename Judge>
double really_needed(Judge judge, std::span<const Sample> more, double from) {
  const std::size_t stride = std::max<std::size_t>(1, more.size() / 40);
  for (std::size_t at = 0; at < more.size(); ++at) {
    judge.add(more[at]);
    if ((at + 1) % stride == 0 && is_conclusive(judge)) return place(more[at]) - from;
  }
  return place(more.back()) - from;
}

template <typename Judge>
void measure(const testing::GeneratedRun& run, std::map<std::string, Count>& counts) {
  Judge judge;
  std::size_t at = 0;
  for (const std::size_t moment : kMoments) {
    for (; at < moment; ++at) judge.add(run.samples[at]);
    const model::Verdict verdict = judge.verdict();
    if (verdict.kind != VerdictKind::Inconclusive) continue;
    const std::array<Count*, 2> rows = {&counts["all"], &counts[std::string(run.family)]};
    for (Count* row : rows) ++row->asked;
    ASSERT_TRUE(verdict.needs);
    const std::optional<double> stated = stated_amount(*verdict.needs);
    if (!stated) continue;
    const double from = place(run.samples[at - 1]);
    std::size_t end = at;
    while (end < run.samples.size() && place(run.samples[end]) <= from + *stated) ++end;
    ASSERT_LT(end, run.samples.size()) << model::needs_words(*verdict.needs);
    ASSERT_GT(end, at) << model::needs_words(*verdict.needs);
    const std::span<const Sample> more(run.samples.data() + at, end - at);
    Judge later = judge;
    for (const Sample& sample : more) later.add(sample);
    const bool kept = is_conclusive(later);
    for (Count* row : rows) {
      ++row->stated;
      row->kept += kept ? 1 : 0;
      if (kept) row->overshoot.push_back(*stated / really_needed(judge, more, from));
    }
  }
}

template <typename Judge>
Count measure_all() {
  std::map<std::string, Count> counts;
  for (std::size_t index = 0; index < base::effort<std::size_t>(330, 11); ++index)
    measure<Judge>(testing::generate_run(kSeed, index, kReadings), counts);
  for (const auto& [name, row] : counts) {
    fmt::print("{:22} {:4} inconclusive, {:3} with a number, {:5.1f}% of them kept, stated/needed {:.1f}\n",
               name, row.asked, row.stated, 100 * row.share_kept(), row.median_overshoot());
  }
  return counts["all"];
}

TEST(Needs, a_run_is_conclusive_after_what_was_stated) {
  const Count all = measure_all<Detector>();
  if (base::kIsSlowBuild) return;  // too few runs for a share
  EXPECT_GE(all.share_kept(), kShareKept);
  EXPECT_LE(all.median_overshoot(), kMostOvershoot);
  EXPECT_GE(all.stated, 2 * all.asked / 5);
}

TEST(Needs, a_run_that_continues_is_conclusive_after_what_was_stated) {
  const Count all = measure_all<LiveVerdict>();
  if (base::kIsSlowBuild) return;  // too few runs for a share
  EXPECT_GE(all.share_kept(), kShareKept);
  EXPECT_LE(all.median_overshoot(), kMostOvershoot);
  EXPECT_GE(all.stated, all.asked / 32);  // 3.4%: a leak must be said for a quarter of the run
}

TEST(Reason, an_amount_that_rose_or_fell_has_no_sign) {
  std::size_t fell = 0;
  for (std::size_t index = 0; index < base::effort<std::size_t>(220, 22); ++index) {
    testing::GeneratedRun run = testing::generate_run(kSeed, index, 200);
    run.samples[0].bytes *= 2;  // the first reading is in a spike
    Detector judge;
    for (const Sample& sample : run.samples) {
      judge.add(sample);
      if (judge.samples() % 20 != 0) continue;
      const std::string reason = judge.verdict(Needs::NotEstimated).reason;
      fell += reason.find("fell ") != std::string::npos ? 1U : 0U;
      for (const char* word : {"rose -", "fell -", "moved by -", "rises -"})
        EXPECT_EQ(reason.find(word), std::string::npos) << reason;
    }
  }
  EXPECT_GE(fell, 1U);
}

}  // namespace
}  // namespace lowtide::judge

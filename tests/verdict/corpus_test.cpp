#include "verdict/corpus.h"

#include <cmath>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "verdict/families.h"
#include "verdict/rng.h"
#include "verdict/series_json.h"
#include "verdict/trend.h"

namespace lowtide::bench {
namespace {

using model::VerdictKind;

TEST(Rng, draws_the_same_on_every_machine) {
  Rng rng(1, 2);
  // Whole numbers up to the last division by 2^53: exact, so equality is meant.
  const double first = rng.uniform();
  EXPECT_EQ(first, 0x1.890848c0bde33p-1);
  EXPECT_EQ(first, Rng(1, 2).uniform());
  EXPECT_NE(first, Rng(1, 3).uniform());
  EXPECT_NE(first, Rng(2, 2).uniform());
}

TEST(Rng, normals_are_normal) {
  Rng rng(3);
  constexpr int kDraws = 20000;
  double sum = 0;
  double squares = 0;
  int beyond_two = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double draw = rng.normal();
    sum += draw;
    squares += draw * draw;
    beyond_two += std::abs(draw) > 2 ? 1 : 0;
  }
  // Five standard errors: 1/sqrt(n), sqrt(2/n), sqrt(p(1-p)/n).
  EXPECT_NEAR(sum / kDraws, 0, 5 / std::sqrt(kDraws));
  EXPECT_NEAR(squares / kDraws, 1, 5 * std::sqrt(2.0 / kDraws));
  EXPECT_NEAR(static_cast<double>(beyond_two) / kDraws, 0.0455, 5 * std::sqrt(0.0455 * 0.9545 / kDraws));
}

TEST(Corpus, is_named_by_its_seed) {
  const CorpusPlan plan{.seed = 42, .series = 20};

  for (std::size_t i = 0; i < plan.series; ++i) {
    EXPECT_EQ(to_json_line(make_series(plan, i)), to_json_line(make_series(plan, i)));
  }
  EXPECT_NE(to_json_line(make_series(plan, 0)), to_json_line(make_series({.seed = 43}, 0)));
  EXPECT_NE(to_json_line(make_series(plan, 0)), to_json_line(make_series({.seed = 42, .shifted = true}, 0)));
}

TEST(Corpus, holds_the_kinds_in_their_shares_and_every_family) {
  std::map<VerdictKind, int> kinds;
  std::set<std::string> families;
  for (const Series& series : make_corpus({.seed = 1, .series = 200})) {
    ++kinds[series.truth.kind];
    families.insert(series.family);
  }

  EXPECT_EQ(kinds[VerdictKind::Leak], 74);
  EXPECT_EQ(kinds[VerdictKind::Warmup], 54);
  EXPECT_EQ(kinds[VerdictKind::Spikes], 20);
  EXPECT_EQ(kinds[VerdictKind::Stable], 26);
  EXPECT_EQ(kinds[VerdictKind::Inconclusive], 26);
  EXPECT_EQ(families.size(), leak_families().size() + warmup_families().size() + spike_families().size() +
                                 stable_families().size() + inconclusive_families().size());
}

// A family that is added must not change a corpus that exists: its figures would not be comparable any more.
TEST(Corpus, other_families_have_a_corpus_of_their_own) {
  std::set<std::string> families;
  for (const Series& series : make_corpus({.seed = 1, .series = 200, .other = true})) {
    families.insert(series.family);
    EXPECT_TRUE(series.family.starts_with("other_")) << series.family;
  }
  EXPECT_EQ(families.size(), other_leak_families().size() + other_warmup_families().size() +
                                 other_spike_families().size() + other_inconclusive_families().size());
  for (const Series& series : make_corpus({.seed = 1, .series = 200}))
    EXPECT_FALSE(series.family.starts_with("other_")) << series.family;
}

struct Corpora {
  bool shifted = false;
  bool other = false;
};

class EverySeries : public testing::TestWithParam<Corpora> {};

TEST_P(EverySeries, is_well_formed_and_its_truth_lies_inside) {
  for (const Series& series :
       make_corpus({.seed = 9, .series = 400, .shifted = GetParam().shifted, .other = GetParam().other})) {
    SCOPED_TRACE(series.id);
    ASSERT_GE(series.size(), 3U);
    ASSERT_EQ(series.at_s.size(), series.size());
    ASSERT_EQ(series.step.size(), series.size());
    for (std::size_t i = 0; i < series.size(); ++i) {
      ASSERT_GT(series.rss_mb[i], 0);
      ASSERT_TRUE(std::isfinite(series.rss_mb[i]));
      if (i > 0) {
        ASSERT_GE(series.at_s[i], series.at_s[i - 1]);
      }
    }
    const Truth& truth = series.truth;
    ASSERT_TRUE(accepts(truth, truth.kind));
    if (truth.leak_start_idx) {
      ASSERT_LT(*truth.leak_start_idx, series.size());
    }
    if (truth.warmup_end_idx) {
      ASSERT_LT(*truth.warmup_end_idx, series.size());
      ASSERT_GT(*truth.warmup_end_idx, 0U);
    }
    ASSERT_EQ(truth.kind == VerdictKind::Leak, truth.leak_mb_per_step.has_value());
    if (truth.kind == VerdictKind::Leak) {
      ASSERT_GT(*truth.leak_mb_per_step, 0);
      ASSERT_GT(truth.leak_mb_per_s.value_or(0), 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OfEachCorpus, EverySeries,
                         testing::Values(Corpora{}, Corpora{.shifted = true}, Corpora{.other = true},
                                         Corpora{.shifted = true, .other = true}));

TEST(Corpus, the_true_rate_is_the_one_in_the_samples) {
  // Theil-Sen over the second half of plain linear leaks: unbiased, and with
  // z >= 9 over the whole its error is below a third; the median over the
  // family is far closer.
  std::vector<double> errors;
  for (const Series& series : make_corpus({.seed = 4, .series = 1500})) {
    if (series.family != "leak_linear") continue;
    const std::size_t half = series.size() / 2;
    const std::span<const double> at_s = std::span(series.at_s).subspan(half);
    const std::span<const double> rss_mb = std::span(series.rss_mb).subspan(half);
    const double slope = find_monotone_trend(at_s, rss_mb, Autocorrelation::Ignored).slope;
    errors.push_back(slope / *series.truth.leak_mb_per_s - 1);
  }
  ASSERT_GT(errors.size(), 15U);
  EXPECT_NEAR(median(errors), 0, 0.05);
}

TEST(Corpus, a_plateau_is_where_the_samples_are) {
  for (const Series& series : make_corpus({.seed = 6, .series = 300})) {
    if (series.truth.kind != VerdictKind::Warmup || series.family == "warmup_then_spikes") continue;
    SCOPED_TRACE(series.id);
    const std::size_t tail = series.size() / 5;
    const double level =
        median({series.rss_mb.end() - static_cast<std::ptrdiff_t>(tail), series.rss_mb.end()});
    EXPECT_NEAR(level, *series.truth.plateau_mb, 0.03 * level);
  }
}

}  // namespace
}  // namespace lowtide::bench

#include "model/needs.h"

#include <gtest/gtest.h>

namespace lowtide::model {
namespace {

TEST(Needs, words_follow_from_kind_and_amount) {
  EXPECT_EQ(needs_words({NeedsKind::MoreSteps, 1500}), "about 1,500 more steps");
  EXPECT_EQ(needs_words({NeedsKind::MoreSeconds, 150}), "about 2.5 min more");
  EXPECT_EQ(needs_words({NeedsKind::MoreReadings, 20}), "about 20 more readings");
  EXPECT_EQ(needs_words({NeedsKind::Readings, 8, ", better 30"}), "at least 8 readings, better 30");
  EXPECT_EQ(needs_words({NeedsKind::LongerRun, 0, ", until it stops"}), "a longer run, until it stops");
  EXPECT_EQ(needs_words({.words = "a job that runs"}), "a job that runs");
}

TEST(Needs, amount_beyond_all_figures_has_an_exponent) {
  EXPECT_EQ(needs_words({NeedsKind::MoreSteps, 2e20}), "about 2.0e+20 more steps");
  EXPECT_EQ(needs_words({NeedsKind::MoreSeconds, 2e20}), "about 2.0e+20 s more");
}

TEST(Needs, advice_does_not_say_longer_twice) {
  EXPECT_EQ(longer_words("run", {NeedsKind::MoreSteps, 300}), "run longer: about 300 more steps");
  EXPECT_EQ(longer_words("run", {NeedsKind::LongerRun, 0, ", until it stops"}), "run longer, until it stops");
}

}  // namespace
}  // namespace lowtide::model

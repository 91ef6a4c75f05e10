#include "judge/restart.h"

#include <gtest/gtest.h>

#include <limits>

namespace lowtide::judge {
namespace {

using Answer = RestartFinder::Answer;

constexpr double kNoStep = std::numeric_limits<double>::quiet_NaN();

RestartFinder watched(int readings, double bytes) {
  RestartFinder finder;
  for (int at = 0; at < readings; ++at) {
    EXPECT_EQ(finder.add({static_cast<double>(at), 10.0 * at, bytes}), Answer::Continues);
  }
  return finder;
}

TEST(RestartFinder, steps_that_go_back_with_less_memory_are_a_restart) {
  RestartFinder finder = watched(50, 1000);
  EXPECT_EQ(finder.add({50, 300, 850}), Answer::Restarted);
}

TEST(RestartFinder, steps_that_go_back_alone_are_a_late_line) {
  RestartFinder finder = watched(50, 1000);
  EXPECT_EQ(finder.add({50, 300, 1000}), Answer::Continues);
}

TEST(RestartFinder, one_reading_of_next_to_nothing_is_a_dip) {
  RestartFinder finder = watched(50, 1000);
  EXPECT_EQ(finder.add({50, kNoStep, 10}), Answer::Unclear);
  EXPECT_EQ(finder.add({51, kNoStep, 1000}), Answer::WasDip);
}

TEST(RestartFinder, a_dip_that_comes_back_is_none) {
  RestartFinder finder = watched(50, 1000);
  EXPECT_EQ(finder.add({50, 500, 500}), Answer::Unclear);
  EXPECT_EQ(finder.add({51, 510, 600}), Answer::Unclear);
  EXPECT_EQ(finder.add({52, 520, 990}), Answer::WasDip);
  EXPECT_EQ(finder.add({53, 530, 1000}), Answer::Continues);
}

TEST(RestartFinder, a_fall_that_stays_is_a_restart) {
  RestartFinder finder = watched(50, 1000);
  Answer last = Answer::Continues;
  for (int at = 0; at < 8; ++at) last = finder.add({50.0 + at, kNoStep, 500});
  EXPECT_EQ(last, Answer::WasRestart);
}

TEST(RestartFinder, less_memory_after_a_long_silence_is_a_restart) {
  RestartFinder finder = watched(50, 1000);
  EXPECT_EQ(finder.add({500, kNoStep, 900}), Answer::Restarted);
}

TEST(RestartFinder, teeth_that_return_to_the_same_floor_are_none) {
  RestartFinder finder;
  for (int at = 0; at < 500; ++at) {
    const Answer answer = finder.add({static_cast<double>(at), kNoStep, 400.0 + 60.0 * (at % 12)});
    if (at < 24) continue;  // how deep the first tooth falls, nobody knows before
    EXPECT_EQ(answer, Answer::Continues) << at;
  }
}

}  // namespace
}  // namespace lowtide::judge

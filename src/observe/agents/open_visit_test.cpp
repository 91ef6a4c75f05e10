#include "observe/agents/open_visit.h"

#include <gtest/gtest.h>

namespace lowtide::observe {
namespace {

constexpr std::size_t kTrain = 0;
constexpr std::size_t kEval = 1;

AgentMarks marks_in(std::optional<std::size_t> phase, std::uint64_t train_ns = 0) {
  AgentMarks marks;
  marks.phase = phase;
  marks.phases = {{.name = "train", .count = 1, .took_ns = train_ns}, {.name = "eval"}};
  return marks;
}

TEST(OpenVisit, a_phase_that_is_never_left_has_a_duration) {
  OpenVisit visit;

  visit.note(marks_in(std::nullopt), 1);
  visit.note(marks_in(kTrain), 2);
  visit.note(marks_in(kTrain), 70);

  EXPECT_EQ(visit.seconds_in(kTrain), 68);
  EXPECT_EQ(visit.seconds_in(kEval), 0);
}

TEST(OpenVisit, a_visit_that_ended_between_two_ticks_is_not_counted_twice) {
  OpenVisit visit;

  visit.note(marks_in(kTrain), 2);
  visit.note(marks_in(kTrain), 10);
  visit.note(marks_in(kTrain, 8'200'000'000), 11);  // eval came in between
  visit.note(marks_in(kTrain, 8'200'000'000), 15);

  EXPECT_EQ(visit.seconds_in(kTrain), 4);
}

TEST(OpenVisit, the_phase_that_was_left_is_the_agents_to_count) {
  OpenVisit visit;

  visit.note(marks_in(kTrain), 2);
  visit.note(marks_in(kEval, 3'000'000'000), 5);
  visit.note(marks_in(kEval, 3'000'000'000), 6);

  EXPECT_EQ(visit.seconds_in(kTrain), 0);
  EXPECT_EQ(visit.seconds_in(kEval), 1);
}

}  // namespace
}  // namespace lowtide::observe

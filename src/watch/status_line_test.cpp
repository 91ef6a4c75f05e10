#include "watch/status_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "show/terminal/layout.h"

namespace lowtide::watch {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

std::string text_of(const show::Line& line) {
  std::string text;
  for (const show::Piece& piece : line) text += piece.text;
  return text;
}

model::Tick tick_at(double at_s, double step, std::uint64_t bytes) {
  model::Tick tick;
  tick.at_s = at_s;
  tick.step = step;
  tick.target.bytes = bytes;
  tick.target.processes = 4;
  return tick;
}

model::Judgement leaning_to_leak() {
  model::Judgement judgement;
  judgement.at_s = 46;
  judgement.verdict.samples = 100;
  judgement.verdict.axis = model::Axis::Step;
  judgement.verdict.lean = model::Lean{model::VerdictKind::Leak, 0.93};
  judgement.verdict.rate = model::Rate{302'000, 290'000, 310'000};
  return judgement;
}

show::AnswerWords open_answer() {
  return {.role = show::Role::Unsure, .rate = "+302 kB/step", .verdict = "may be a leak (93%)"};
}

std::string line_of(const model::Judgement& judgement, std::size_t columns = 79,
                    const show::AnswerWords& answer = open_answer()) {
  return text_of(status_line(judgement, answer, tick_at(47.3, 1160, 377'000'000), columns));
}

TEST(StatusLine, has_time_step_verdict_memory_and_rate) {
  EXPECT_EQ(line_of(leaning_to_leak()), "lowtide 0:47 step 1160  may be a leak (93%)  377 MB, +302 kB/step");
}

TEST(StatusLine, names_the_line_and_the_variable_as_the_report_does) {
  show::AnswerWords answer = open_answer();
  answer.cause = "train.py:30 -> history";
  EXPECT_THAT(line_of(leaning_to_leak(), 100, answer),
              EndsWith("377 MB, +302 kB/step  train.py:30 -> history"));

  model::Judgement judgement = leaning_to_leak();
  judgement.verdict.kind = model::VerdictKind::Stable;
  answer.rate = "flat";
  EXPECT_THAT(line_of(judgement, 100, answer), EndsWith("377 MB, flat"));
}

TEST(StatusLine, the_cause_is_more_important_than_the_step) {
  show::AnswerWords answer = open_answer();
  answer.cause = "train.py:30 -> hist";
  EXPECT_EQ(line_of(leaning_to_leak(), 79, answer),
            "lowtide 0:47  may be a leak (93%)  377 MB, +302 kB/step  train.py:30 -> hist");
}

TEST(StatusLine, says_the_verdict_in_the_words_and_the_role_of_the_answer) {
  const show::Line line =
      status_line(leaning_to_leak(), {.role = show::Role::Leak, .verdict = "LEAK, 97% sure"},
                  tick_at(47.3, 1160, 377'000'000), 79);
  EXPECT_EQ(line[1].text, "  LEAK, 97% sure");
  EXPECT_EQ(line[1].role, show::Role::Leak);
}

TEST(StatusLine, long_runs_have_hours_and_jobs_without_steps_have_seconds) {
  model::Judgement judgement = leaning_to_leak();
  judgement.at_s = 7384;
  judgement.verdict.axis = model::Axis::Time;
  const std::string text =
      text_of(status_line(judgement, {.rate = "+302 kB/s"}, tick_at(7384, model::kUnknown, 377'000'000), 79));

  EXPECT_THAT(text, AllOf(HasSubstr("lowtide 2:03:04  "), HasSubstr("+302 kB/s"), Not(HasSubstr("step"))));
}

// After a spike the floor of the verdict may be older than the reading, and higher.
TEST(StatusLine, shows_no_floor_above_the_memory_in_use) {
  model::Judgement judgement = leaning_to_leak();
  judgement.verdict.floor = {86'000'000, 386'000'000};
  const std::string text = text_of(status_line(judgement, {}, tick_at(47, 1160, 86'200'000), 200));

  EXPECT_THAT(text, AllOf(HasSubstr("86.2 MB"), Not(HasSubstr("386 MB"))));
}

TEST(StatusLine, forecast_and_age_are_shown_where_there_is_room) {
  model::Judgement judgement = leaning_to_leak();
  judgement.at_s = 40;
  judgement.forecast =
      model::Forecast{.limit_bytes = 25'300'000'000, .step = {}, .seconds = model::Range{700, 600, 800}};

  EXPECT_THAT(line_of(judgement, 120),
              AllOf(HasSubstr("limit 25.3 GB in 11.0 min"), HasSubstr("verdict 7.3 s old")));
  EXPECT_THAT(line_of(judgement, 60), Not(HasSubstr("limit")));

  judgement.verdict.lean = model::Lean{model::VerdictKind::Warmup, 0.8};
  EXPECT_THAT(line_of(judgement, 120), Not(HasSubstr("limit")));
}

TEST(StatusLine, an_old_verdict_shows_its_age) {
  model::Judgement judgement = leaning_to_leak();
  EXPECT_THAT(line_of(judgement, 120), Not(HasSubstr("old")));
  judgement.at_s = 17.3;
  EXPECT_THAT(line_of(judgement, 120), EndsWith("verdict 30.0 s old"));
}

TEST(StatusLine, is_never_wider_than_the_terminal_and_a_cut_is_marked) {
  const std::string whole = line_of(leaning_to_leak(), 200);
  const std::size_t without_step = show::display_width(whole) - std::string_view(" step 1160").size();
  for (std::size_t columns = 20; columns < 100; ++columns) {
    const std::string text = line_of(leaning_to_leak(), columns);
    ASSERT_LE(show::display_width(text), columns);
    if (columns < without_step) {
      EXPECT_THAT(text, EndsWith("..."));
    }
  }
}

}  // namespace
}  // namespace lowtide::watch

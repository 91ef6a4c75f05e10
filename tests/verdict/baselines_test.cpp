#include <algorithm>

#include <gtest/gtest.h>

#include "verdict/method.h"

namespace lowtide::bench {
namespace {

using model::VerdictKind;

Method find_baseline(const std::string& name) {
  std::vector<Method> all = baseline_methods();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Method& method) { return method.name == name; });
  return *found;
}

// 500 samples, one every 10 steps and 5 s; `floor` gives the MB at a sample.
template <typename Floor>
Series draw(Floor floor) {
  Series series;
  for (std::size_t i = 0; i < 500; ++i) {
    series.at_s.push_back(5 * static_cast<double>(i));
    series.step.push_back(10 * static_cast<double>(i));
    // A saw of 1 MB, so that nothing is exactly on a line.
    series.rss_mb.push_back(floor(static_cast<double>(i)) + static_cast<double>(i % 3) / 2);
  }
  return series;
}

VerdictKind judge(const std::string& name, const Series& series) {
  return find_baseline(name).judge(series, {}).last.kind;
}

TEST(Baselines, all_see_a_plain_leak) {
  const Series leak = draw([](double i) { return 4000 + 10 * i; });

  for (const Method& method : baseline_methods()) {
    EXPECT_EQ(method.judge(leak, {}).last.kind, VerdictKind::Leak) << method.name;
  }
}

TEST(Baselines, none_sees_a_leak_in_a_flat_line) {
  const Series flat = draw([](double) { return 4000.0; });

  for (const Method& method : baseline_methods()) {
    EXPECT_EQ(method.judge(flat, {}).last.kind, VerdictKind::Stable) << method.name;
  }
}

TEST(Baselines, the_usual_scripts_take_a_warm_up_for_a_leak) {
  const Series warm_up = draw([](double i) { return i < 150 ? 2000 + 10 * i : 3500.0; });

  EXPECT_EQ(judge("first10_last10_min", warm_up), VerdictKind::Leak);
  EXPECT_EQ(judge("ols_t", warm_up), VerdictKind::Leak);
  EXPECT_EQ(judge("predict_linear", warm_up), VerdictKind::Stable);  // its window is past the ramp
  EXPECT_EQ(judge("resin_like", warm_up), VerdictKind::Stable);
}

TEST(Baselines, predict_linear_does_not_see_a_slow_leak) {
  // The series grows by 10%. A line from the last quarter ends 10% higher, below the headroom of 25%.
  const Series slow = draw([](double i) { return 4000 + 0.8 * i; });

  EXPECT_EQ(judge("predict_linear", slow), VerdictKind::Stable);
  EXPECT_EQ(judge("mk_theil_sen", slow), VerdictKind::Leak);
}

TEST(Baselines, rates_are_per_step_where_steps_are_known) {
  Series leak = draw([](double i) { return 4000 + 10 * i; });
  leak.step[7] = model::kUnknown;  // interpolated

  const Opinion by_step = find_baseline("ols_t").judge(leak, {}).last;
  std::fill(leak.step.begin(), leak.step.end(), model::kUnknown);
  const Opinion by_time = find_baseline("ols_t").judge(leak, {}).last;

  EXPECT_EQ(by_step.axis, model::Axis::Step);
  EXPECT_NEAR(*by_step.rate_mb, 1, 0.01);
  EXPECT_EQ(by_time.axis, model::Axis::Time);
  EXPECT_NEAR(*by_time.rate_mb, 2, 0.02);
}

TEST(Baselines, patience_turns_an_early_alarm_into_silence) {
  Series early = draw([](double i) { return 4000 + 10 * i; });
  for (double& step : early.step) step /= 20;  // 250 steps in all

  EXPECT_EQ(judge("resin_like", early), VerdictKind::Leak);
  EXPECT_EQ(judge("resin_like+400", early), VerdictKind::Inconclusive);
}

TEST(Baselines, moments_are_judged_on_what_was_there) {
  const Series late = draw([](double i) { return i < 250 ? 4000.0 : 4000 + 10 * (i - 250); });
  const std::vector<std::size_t> moments = {100, 250, 500};

  const Outcome outcome = find_baseline("mk_theil_sen").judge(late, moments);

  ASSERT_EQ(outcome.moments.size(), 3U);
  EXPECT_EQ(outcome.moments[0].kind, VerdictKind::Stable);
  EXPECT_EQ(outcome.moments[1].kind, VerdictKind::Stable);
  EXPECT_EQ(outcome.moments[2].kind, VerdictKind::Leak);
}

}  // namespace
}  // namespace lowtide::bench

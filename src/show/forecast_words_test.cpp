#include "show/forecast_words.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lowtide::show {
namespace {

using model::Ending;

constexpr std::uint64_t kGiB = 1ULL << 30U;

model::SeriesReport series_at(std::uint64_t last_bytes, double last_s) {
  model::SeriesReport series;
  series.verdict.kind = model::VerdictKind::Leak;
  series.verdict.floor.last_bytes = last_bytes;
  series.last_s = last_s;
  return series;
}

TEST(ForecastWords, have_the_tense_of_the_job_and_the_time_that_is_left) {
  const model::SeriesReport series = series_at(1'000'000, 3600);
  const model::Forecast at{model::LimitKind::Host, 32 * kGiB, model::Range{1930, 1700, 2200},
                           model::Range{3600 + 11520, 0, 0}};

  EXPECT_EQ(forecast_words(at, series, Ending::Running),
            "the job reaches the limit (32 GiB) at step 1,930 (1,700 to 2,200), in about 3.2 h");
  EXPECT_EQ(forecast_words(at, series, Ending::Closed),
            "the job would have reached the limit (32 GiB) at step 1,930 (1,700 to 2,200), 3.2 h later");
}

TEST(ForecastWords, of_the_estimate_alone_have_three_digits) {
  const model::Forecast at{model::LimitKind::Host, 32 * kGiB, model::Range{45'914, 45'845, 45'984},
                           model::Range{7200, 7100, 7300}};

  EXPECT_EQ(forecast_words(at, series_at(0, 0), Ending::Closed, std::nullopt, ForecastDetail::Estimate),
            "the job would have reached the limit (32 GiB) at about step 45,900, 2.0 h later");
}

TEST(ForecastWords, state_that_the_limit_may_never_be_reached) {
  model::Forecast at{model::LimitKind::Host, 32 * kGiB, model::Range{1930, 1700, INFINITY}, std::nullopt};

  EXPECT_EQ(forecast_words(at, series_at(0, 0), Ending::Running),
            "the job reaches the limit (32 GiB) at step 1,930 (1,700 or later, or never)");
}

TEST(ForecastWords, state_the_memory_with_which_the_forecast_was_computed) {
  model::Forecast at{model::LimitKind::Host, 25'300'000'000, model::Range{1930, 1700, 2200}, std::nullopt};
  at.reach_bytes = 13'000'000'000;

  EXPECT_EQ(
      forecast_words(at, series_at(700'000'000, 0), Ending::Closed),
      "the job would have used up the 12.3 GB free on this machine (of 25.3 GB) at step 1,930 (1,700 to "
      "2,200)");
}

TEST(ForecastWords, name_the_limit_of_the_cgroup) {
  const model::Forecast at{model::LimitKind::Cgroup, 4 * kGiB, std::nullopt, model::Range{90, 80, 100}};
  const model::Limit limit{.kind = model::LimitKind::Cgroup, .bytes = 4 * kGiB, .told_by_machine = true};

  EXPECT_EQ(forecast_words(at, series_at(0, 60), Ending::Running, limit),
            "the job reaches the limit of the cgroup (4 GiB) in about 30.0 s (20.0 s to 40.0 s)");
}

TEST(ForecastWords, of_a_limit_below_the_peak_are_about_the_floor) {
  model::SeriesReport series = series_at(0, 0);
  series.peak_bytes = 5 * kGiB;
  const model::Forecast at{model::LimitKind::Host, 4 * kGiB, model::Range{1930, 1700, 2200}, std::nullopt};

  EXPECT_EQ(
      forecast_words(at, series, Ending::Closed),
      "the peak of 5.37 GB was above the limit (4 GiB); the floor would have reached it at step 1,930 (1,700 "
      "to 2,200)");
}

TEST(ForecastWords, of_a_tmpfs_name_it_and_leave_the_memory_of_the_job_out) {
  model::SeriesReport series = series_at(0, 0);
  series.peak_bytes = 64U << 20U;  // not only in files
  model::Forecast at{model::LimitKind::Tmpfs, 64U << 20U, model::Range{1930, 1700, 2200}, std::nullopt};
  at.path = "/dev/shm";

  EXPECT_EQ(forecast_words(at, series, Ending::Running),
            "the job fills /dev/shm (64 MiB) at step 1,930 (1,700 to 2,200)");
}

}  // namespace
}  // namespace lowtide::show

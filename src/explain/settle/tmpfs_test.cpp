#include "explain/settle/tmpfs.h"

#include <gtest/gtest.h>

namespace lowtide::explain {
namespace {

constexpr double kMegabyte = 1e6;
constexpr int kSeconds = 100;

RecordedSeries rising(double from, double per_s) {
  RecordedSeries out;
  for (int at_s = 0; at_s <= kSeconds; ++at_s) {
    const auto bytes = static_cast<std::uint64_t>(from + per_s * at_s);
    out.push_back({.at_s = static_cast<double>(at_s), .low_bytes = bytes, .high_bytes = bytes});
  }
  return out;
}

TmpfsEvidence tmpfs_of(double used, double used_per_s, double job_per_s, double total) {
  TmpfsEvidence out{.path = "/dev/shm"};
  out.used = rising(used, used_per_s);
  out.job = rising(0, job_per_s);
  out.last = {.used_bytes = out.used.back().low_bytes,
              .total_bytes = static_cast<std::uint64_t>(total),
              .job_bytes = out.job.back().low_bytes};
  return out;
}

Evidence evidence_of(std::vector<TmpfsEvidence> tmpfs) {
  Evidence evidence;
  evidence.target = rising(200 * kMegabyte, kMegabyte);
  evidence.tmpfs = std::move(tmpfs);
  set_windows(evidence);
  return evidence;
}

ProcessEvidence ended(std::int64_t pid, int status, double at_s) {
  ProcessEvidence out;
  out.info.pid = pid;
  out.info.ended_s = at_s;
  out.info.exit_status = status;
  return out;
}

TEST(Tmpfs, files_of_other_jobs_fill_it_too) {
  const auto forecast =
      forecast_tmpfs(evidence_of({tmpfs_of(100 * kMegabyte, 2 * kMegabyte, kMegabyte, 500 * kMegabyte)}));

  ASSERT_TRUE(forecast);
  EXPECT_EQ(forecast->limit, model::LimitKind::Tmpfs);
  EXPECT_EQ(forecast->limit_bytes, 500'000'000U);
  EXPECT_EQ(forecast->path, "/dev/shm");
  EXPECT_NEAR(forecast->seconds->estimate, 200, 2);  // 300 MB are used, and 2 MB come in each second
}

TEST(Tmpfs, what_only_others_fill_says_nothing_about_the_job) {
  EXPECT_FALSE(forecast_tmpfs(evidence_of({tmpfs_of(0, 2 * kMegabyte, 0, 500 * kMegabyte)})));
}

TEST(Tmpfs, the_one_that_is_full_first_counts) {
  TmpfsEvidence small = tmpfs_of(0, kMegabyte, kMegabyte, 200 * kMegabyte);
  small.path = "/tmp";

  const auto forecast =
      forecast_tmpfs(evidence_of({tmpfs_of(0, kMegabyte, kMegabyte, 500 * kMegabyte), small}));

  ASSERT_TRUE(forecast);
  EXPECT_EQ(forecast->path, "/tmp");
}

TEST(Tmpfs, limit_that_is_reached_first_counts) {
  const model::Forecast host{
      .limit = model::LimitKind::Host, .step = {}, .seconds = model::Range{100, 90, 110}};
  const model::Forecast tmpfs{
      .limit = model::LimitKind::Tmpfs, .step = {}, .seconds = model::Range{50, 40, 60}};

  EXPECT_EQ(sooner(host, tmpfs)->limit, model::LimitKind::Tmpfs);
  EXPECT_EQ(sooner(tmpfs, host)->limit, model::LimitKind::Tmpfs);
  EXPECT_EQ(sooner(host, std::nullopt)->limit, model::LimitKind::Host);
  EXPECT_EQ(sooner(std::nullopt, tmpfs)->limit, model::LimitKind::Tmpfs);
  EXPECT_FALSE(sooner(std::nullopt, std::nullopt));
}

TEST(Tmpfs, full_one_is_reported_only_with_a_failure) {
  Evidence evidence = evidence_of({tmpfs_of(0, kMegabyte, kMegabyte, 100 * kMegabyte)});
  evidence.header.root_pid = 100;
  const auto was_full = [&](int status, double at_s) {
    evidence.processes = {ended(100, status, at_s)};
    return tmpfs_reports(evidence).at(0).was_full;
  };

  EXPECT_TRUE(was_full(1, kSeconds));
  EXPECT_TRUE(was_full(128 + 7, kSeconds));
  EXPECT_FALSE(was_full(0, kSeconds));
  EXPECT_FALSE(was_full(128 + 15, kSeconds)) << "somebody ended it";
  EXPECT_FALSE(was_full(1, kSeconds / 2)) << "it was half full then";
  EXPECT_FALSE(was_full(1, kSeconds + 600)) << "its last reading is too old";
}

TEST(Tmpfs, without_readings_or_size_nothing_is_full) {
  EXPECT_FALSE(fullness_before(TmpfsEvidence{.path = "/tmp"}, 10));
  TmpfsEvidence without_size = tmpfs_of(0, kMegabyte, kMegabyte, 0);
  EXPECT_FALSE(fullness_before(without_size, kSeconds));
}

}  // namespace
}  // namespace lowtide::explain

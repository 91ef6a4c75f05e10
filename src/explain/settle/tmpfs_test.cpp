#include "explain/settle/tmpfs.h"

#include <gtest/gtest.h>

namespace lowtide::explain {
namespace {

constexpr double kTmpfsMegabyte = 1e6;
constexpr int kTmpfsSeconds = 100;

RecordedSeries rising_bytes(double from, double per_s) {
  RecordedSeries out;
  for (int at_s = 0; at_s <= kTmpfsSeconds; ++at_s) {
    const auto bytes = static_cast<std::uint64_t>(from + per_s * at_s);
    out.push_back({.at_s = static_cast<double>(at_s), .low_bytes = bytes, .high_bytes = bytes});
  }
  return out;
}

TmpfsEvidence tmpfs_of(double used, double used_per_s, double job_per_s, double total) {
  TmpfsEvidence out;
  out.path = "/dev/shm";
  out.used = rising_bytes(used, used_per_s);
  out.job = rising_bytes(0, job_per_s);
  out.last = {.used_bytes = out.used.back().low_bytes,
              .total_bytes = static_cast<std::uint64_t>(total),
              .job_bytes = out.job.back().low_bytes};
  return out;
}

Evidence evidence_with(std::vector<TmpfsEvidence> tmpfs) {
  Evidence evidence;
  evidence.target = rising_bytes(200 * kTmpfsMegabyte, kTmpfsMegabyte);
  evidence.tmpfs = std::move(tmpfs);
  set_windows(evidence);
  return evidence;
}

ProcessEvidence ended_process(std::int64_t pid, int status, double at_s) {
  ProcessEvidence out;
  out.info.pid = pid;
  out.info.ended_s = at_s;
  out.info.exit_status = status;
  return out;
}

TEST(Tmpfs, files_of_other_jobs_fill_it_too) {
  const auto forecast = forecast_tmpfs(evidence_with(
      {tmpfs_of(100 * kTmpfsMegabyte, 2 * kTmpfsMegabyte, kTmpfsMegabyte, 500 * kTmpfsMegabyte)}));

  ASSERT_TRUE(forecast);
  EXPECT_EQ(forecast->limit, model::LimitKind::Tmpfs);
  EXPECT_EQ(forecast->limit_bytes, 500'000'000U);
  EXPECT_EQ(forecast->path, "/dev/shm");
  EXPECT_NEAR(forecast->seconds->estimate, 200, 2);  // 300 MB are used, and 2 MB come in each second
}

TEST(Tmpfs, what_only_others_fill_says_nothing_about_the_job) {
  EXPECT_FALSE(forecast_tmpfs(evidence_with({tmpfs_of(0, 2 * kTmpfsMegabyte, 0, 500 * kTmpfsMegabyte)})));
}

TEST(Tmpfs, the_one_that_is_full_first_counts) {
  TmpfsEvidence small = tmpfs_of(0, kTmpfsMegabyte, kTmpfsMegabyte, 200 * kTmpfsMegabyte);
  small.path = "/tmp";

  const auto forecast = forecast_tmpfs(
      evidence_with({tmpfs_of(0, kTmpfsMegabyte, kTmpfsMegabyte, 500 * kTmpfsMegabyte), small}));

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
  Evidence evidence = evidence_with({tmpfs_of(0, kTmpfsMegabyte, kTmpfsMegabyte, 100 * kTmpfsMegabyte)});
  evidence.header.root_pid = 100;
  const auto was_full = [&](int status, double at_s) {
    evidence.processes = {ended_process(100, status, at_s)};
    return tmpfs_reports(evidence).at(0).was_full;
  };

  EXPECT_TRUE(was_full(1, kTmpfsSeconds));
  EXPECT_TRUE(was_full(128 + 7, kTmpfsSeconds));
  EXPECT_FALSE(was_full(0, kTmpfsSeconds));
  EXPECT_FALSE(was_full(128 + 15, kTmpfsSeconds)) << "somebody ended it";
  EXPECT_FALSE(was_full(1, kTmpfsSeconds * 0.5)) << "it was half full then";
  EXPECT_FALSE(was_full(1, kTmpfsSeconds + 600)) << "its last reading is too old";
}

TEST(Tmpfs, without_readings_or_size_nothing_is_full) {
  EXPECT_FALSE(fullness_before(TmpfsEvidence(), 10));
  TmpfsEvidence without_size = tmpfs_of(0, kTmpfsMegabyte, kTmpfsMegabyte, 0);
  EXPECT_FALSE(fullness_before(without_size, kTmpfsSeconds));
}

}  // namespace
}  // namespace lowtide::explain

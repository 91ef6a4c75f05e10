#include "explain/evidence/forked_children.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace lowtide::explain {
namespace {

constexpr std::uint64_t kPageMB = 1'000'000;

ProcessEvidence recorded(std::int64_t pid, std::int64_t ppid, std::uint64_t own_mb, std::uint64_t held_mb) {
  ProcessEvidence out;
  out.info.id = model::ProcessId{static_cast<std::uint32_t>(pid)};
  out.info.pid = pid;
  out.info.ppid = ppid;
  out.info.command = "python train.py";
  for (int at = 0; at < 10; ++at) {
    SeriesPoint point;
    point.at_s = at;
    point.low_bytes = point.high_bytes = own_mb * kPageMB;
    point.held_bytes = held_mb * kPageMB;
    out.series.push_back(point);
  }
  return out;
}

std::uint64_t judged_mb(const ProcessEvidence& process) {
  return process.series.front().low_bytes / kPageMB;
}

TEST(ForkedChildren, parent_has_the_pages_that_it_shares_and_the_child_what_it_copied) {
  Evidence evidence;
  evidence.processes = {recorded(10, 1, 40, 400), recorded(11, 10, 8, 390)};
  count_shared_pages_of_parents(evidence);

  EXPECT_TRUE(evidence.processes[0].counts_shared_pages);
  EXPECT_EQ(judged_mb(evidence.processes[0]), 400U);
  EXPECT_FALSE(evidence.processes[1].counts_shared_pages);
  EXPECT_EQ(judged_mb(evidence.processes[1]), 8U);
}

TEST(ForkedChildren, worker_that_starts_a_program_does_not_become_a_parent_that_shares) {
  Evidence evidence;
  evidence.processes = {recorded(10, 1, 40, 400), recorded(11, 10, 8, 390), recorded(12, 11, 30, 30)};
  evidence.processes[2].info.command = "ffmpeg";
  count_shared_pages_of_parents(evidence);

  EXPECT_EQ(judged_mb(evidence.processes[1]), 8U) << "it copies pages of its own parent";
}

TEST(ForkedChildren, pages_that_a_parent_shares_with_its_own_parent_are_counted_once) {
  Evidence evidence;
  evidence.processes = {recorded(10, 1, 40, 400), recorded(11, 10, 8, 390), recorded(12, 11, 5, 390)};
  count_shared_pages_of_parents(evidence);

  EXPECT_EQ(judged_mb(evidence.processes[0]), 400U);
  EXPECT_EQ(judged_mb(evidence.processes[1]), 8U);
  EXPECT_EQ(judged_mb(evidence.processes[2]), 5U);
}

TEST(ForkedChildren, process_that_shares_nothing_stays_as_it_is) {
  Evidence evidence;
  evidence.processes = {recorded(10, 1, 400, 401), recorded(11, 10, 50, 50)};
  count_shared_pages_of_parents(evidence);

  EXPECT_EQ(judged_mb(evidence.processes[0]), 400U);
}

TEST(ForkedChildren, child_without_a_reading_counts_if_it_runs_the_program_of_its_parent) {
  Evidence evidence;
  evidence.processes = {recorded(10, 1, 40, 400), recorded(11, 10, 0, 0)};
  evidence.processes[1].series.clear();
  count_shared_pages_of_parents(evidence);
  EXPECT_EQ(judged_mb(evidence.processes[0]), 400U);

  evidence.processes = {recorded(10, 1, 40, 400), recorded(11, 10, 0, 0)};
  evidence.processes[1].series.clear();
  evidence.processes[1].info.command = "git status";
  count_shared_pages_of_parents(evidence);
  EXPECT_EQ(judged_mb(evidence.processes[0]), 40U);
}

TEST(ForkedChildren, all_lives_of_a_parent_that_is_replaced_are_counted_alike) {
  Evidence evidence;
  evidence.processes = {recorded(10, 1, 40, 400), recorded(11, 10, 8, 390), recorded(20, 1, 399, 400)};
  evidence.processes[2].info.continues = evidence.processes[0].info.id;
  count_shared_pages_of_parents(evidence);

  EXPECT_TRUE(evidence.processes[2].counts_shared_pages);
}

}  // namespace
}  // namespace lowtide::explain

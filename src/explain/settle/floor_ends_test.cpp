#include "explain/settle/floor_ends.h"

#include <gtest/gtest.h>

namespace lowtide::explain {
namespace {

constexpr std::uint64_t kMega = 1'000'000;

SeriesPoint point_at(double at_s, std::uint64_t bytes) {
  SeriesPoint out;
  out.at_s = at_s;
  out.low_bytes = out.high_bytes = bytes;
  return out;
}

// A trainer that grows by 1 MB per second, and workers that take each other's place after 50 s.
Evidence leaking_trainer_with_a_worker() {
  Evidence out;
  ProcessEvidence trainer;
  trainer.info.id = model::ProcessId{1};
  ProcessEvidence first;
  first.info.id = model::ProcessId{2};
  first.info.ended_s = 50;
  ProcessEvidence second;
  second.info.id = model::ProcessId{3};
  second.info.started_s = 50.5;
  second.info.continues = first.info.id;
  for (int at = 0; at <= 100; ++at) {
    const std::uint64_t grown = static_cast<std::uint64_t>(at) * kMega;
    trainer.series.push_back(point_at(at, 100 * kMega + grown));
    (at <= 50 ? first : second).series.push_back(point_at(at, (at <= 50 ? 20 : 25) * kMega));
    out.target.push_back(point_at(at, (at <= 50 ? 420 : 425) * kMega + grown));  // 300 MB are shared
  }
  out.processes = {trainer, first, second};
  return out;
}

TEST(FloorEnds, rows_are_read_when_the_tree_was_at_the_ends_of_its_floor) {
  const Evidence evidence = leaking_trainer_with_a_worker();
  std::vector<WatchedProcess> processes(2);
  processes[0].report.info = evidence.processes[0].info;
  processes[1].report.info = evidence.processes[2].info;  // the latest of its lives

  const model::Ends tree = set_floor_ends(evidence, {422 * kMega, 523 * kMega}, processes);

  EXPECT_EQ(tree.early_bytes, 422 * kMega);
  EXPECT_EQ(tree.late_bytes, 523 * kMega);
  EXPECT_EQ(processes[0].report.ends.early_bytes, 102 * kMega);
  EXPECT_EQ(processes[0].report.ends.late_bytes, 198 * kMega);
  EXPECT_EQ(processes[1].report.ends.early_bytes, 20 * kMega);
  EXPECT_EQ(processes[1].report.ends.late_bytes, 25 * kMega);
}

TEST(FloorEnds, process_that_did_not_run_has_nothing) {
  const Evidence evidence = leaking_trainer_with_a_worker();
  std::vector<WatchedProcess> processes(1);
  processes[0].report.info = evidence.processes[1].info;  // ended after 50 s

  set_floor_ends(evidence, {420 * kMega, 525 * kMega}, processes);

  EXPECT_EQ(processes[0].report.ends.early_bytes, 20 * kMega);
  EXPECT_EQ(processes[0].report.ends.late_bytes, 0U);
}

TEST(FloorEnds, rows_that_were_read_a_moment_later_add_up_to_the_tree) {
  Evidence evidence = leaking_trainer_with_a_worker();
  for (SeriesPoint& point : evidence.target) point.low_bytes -= 301 * kMega;  // nothing is shared
  std::vector<WatchedProcess> processes(2);
  processes[0].report.info = evidence.processes[0].info;
  processes[1].report.info = evidence.processes[2].info;

  set_floor_ends(evidence, {119 * kMega, 224 * kMega}, processes);

  EXPECT_EQ(processes[0].report.ends.late_bytes, 199 * kMega) << "read as 200 MB";
  EXPECT_EQ(processes[1].report.ends.late_bytes, 25 * kMega);
}

TEST(FloorEnds, recording_without_readings_has_none) {
  std::vector<WatchedProcess> processes(1);

  EXPECT_EQ(set_floor_ends({}, {}, processes).late_bytes, 0U);
}

}  // namespace
}  // namespace lowtide::explain

#include "watch/snapshots/snapshot_turns.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>

namespace lowtide::watch {
namespace {

TEST(SnapshotTurns, trainer_has_every_second_snapshot_beside_its_workers) {
  SnapshotTurns turns;
  std::array<SnapshotTurns::Candidate, 5> processes{};
  for (std::size_t at = 1; at < processes.size(); ++at) processes[at].is_worker = true;

  for (int turn = 0; turn < 16; ++turn) {
    auto* next = &processes.front();
    for (auto& each : processes) {
      if (turns.is_before(each, *next)) next = &each;
    }
    turns.note_asked(next->is_worker);
    ++next->requests;
  }

  EXPECT_EQ(processes.front().requests, 8);
  for (std::size_t at = 1; at < processes.size(); ++at) EXPECT_EQ(processes[at].requests, 2);
}

TEST(SnapshotTurns, among_ranks_the_one_with_the_fewest_is_next) {
  SnapshotTurns turns;

  turns.note_asked(false);

  EXPECT_TRUE(turns.is_before({.requests = 1}, {.requests = 2}));
  EXPECT_FALSE(turns.is_before({.requests = 2}, {.requests = 1}));
  EXPECT_FALSE(turns.is_before({.requests = 1}, {.requests = 1}));
}

TEST(SnapshotTurns, after_a_walk_there_is_time_to_count_shared_pages) {
  SnapshotTurns turns;
  EXPECT_TRUE(turns.is_free(0));

  turns.note_ended(10, 0.2, 0.2);
  EXPECT_FALSE(turns.is_free(10.1));
  EXPECT_TRUE(turns.is_free(10.2));

  turns.note_ended(20, 30, 0.2);
  EXPECT_FALSE(turns.is_free(27.9));
  EXPECT_TRUE(turns.is_free(28));
}

TEST(SnapshotTurns, workers_that_are_started_again_and_again_do_not_use_more_than_the_budget) {
  SnapshotTurns turns;
  double spent_s = 0;
  for (double at_s = 0; at_s < 600; at_s += 0.25) {
    if (!turns.is_free(at_s)) continue;  // there is always a new worker
    turns.note_ended(at_s, 0.15, 0.15);
    spent_s += 0.15;
  }
  EXPECT_GT(spent_s, 10);
  EXPECT_LT(spent_s, 17);
}

TEST(SnapshotTurns, one_process_with_a_long_walk_keeps_its_own_pace) {
  SnapshotTurns turns;
  for (const double at_s :
       {4, 34, 64, 94, 244}) {  // a walk of 3 s: four in ten times their cost, then fifty times
    EXPECT_TRUE(turns.is_free(at_s)) << at_s;
    turns.note_ended(at_s, 3, 3);
  }
}

}  // namespace
}  // namespace lowtide::watch

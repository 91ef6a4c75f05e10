#include "watch/snapshot_turns.h"

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
    ++next->looks;
  }

  EXPECT_EQ(processes.front().looks, 8);
  for (std::size_t at = 1; at < processes.size(); ++at) EXPECT_EQ(processes[at].looks, 2);
}

TEST(SnapshotTurns, among_ranks_the_one_with_the_fewest_is_next) {
  SnapshotTurns turns;

  turns.note_asked(false);

  EXPECT_TRUE(turns.is_before({.looks = 1}, {.looks = 2}));
  EXPECT_FALSE(turns.is_before({.looks = 2}, {.looks = 1}));
  EXPECT_FALSE(turns.is_before({.looks = 1}, {.looks = 1}));
}

TEST(SnapshotTurns, after_a_walk_there_is_time_to_count_shared_pages) {
  SnapshotTurns turns;
  EXPECT_TRUE(turns.is_free(0));

  turns.note_ended(10, 0.2);
  EXPECT_FALSE(turns.is_free(10.1));
  EXPECT_TRUE(turns.is_free(10.2));

  turns.note_ended(20, 30);
  EXPECT_FALSE(turns.is_free(22.9));
  EXPECT_TRUE(turns.is_free(23));
}

}  // namespace
}  // namespace lowtide::watch

#include "observe/tree/worker_slots.h"

#include <gtest/gtest.h>

namespace lowtide::observe {
namespace {

using model::ProcessId;
using model::ProcessRole;

TEST(LanesTest, a_respawned_worker_goes_on_with_the_lowest_free_number) {
  WorkerSlots lanes;
  lanes.take(ProcessId{0}, {}, ProcessRole::Trainer, "train.py");
  lanes.take(ProcessId{1}, ProcessId{0}, ProcessRole::Worker, "train.py");
  lanes.take(ProcessId{2}, ProcessId{0}, ProcessRole::Worker, "train.py");
  lanes.leave(ProcessId{1});

  const WorkerSlots::Place place = lanes.take(ProcessId{3}, ProcessId{0}, ProcessRole::Worker, "train.py");

  EXPECT_EQ(place.number, 0);
  EXPECT_EQ(place.continues, ProcessId{1});
}

TEST(LanesTest, workers_of_different_parents_have_numbers_of_their_own) {
  WorkerSlots lanes;
  lanes.take(ProcessId{0}, {}, ProcessRole::Rank, "0");
  lanes.take(ProcessId{1}, {}, ProcessRole::Rank, "1");

  const WorkerSlots::Place first = lanes.take(ProcessId{2}, ProcessId{0}, ProcessRole::Worker, "train.py");
  const WorkerSlots::Place second = lanes.take(ProcessId{3}, ProcessId{1}, ProcessRole::Worker, "train.py");

  EXPECT_EQ(first.number, 0);
  EXPECT_EQ(second.number, 0);
  EXPECT_FALSE(second.continues);
}

TEST(LanesTest, another_program_does_not_go_on_with_a_series) {
  WorkerSlots lanes;
  lanes.take(ProcessId{0}, {}, ProcessRole::Other, "git");
  lanes.leave(ProcessId{0});

  EXPECT_FALSE(lanes.take(ProcessId{1}, {}, ProcessRole::Other, "nvidia-smi").continues);
  EXPECT_EQ(lanes.take(ProcessId{2}, {}, ProcessRole::Other, "git").continues, ProcessId{0});
}

}  // namespace
}  // namespace lowtide::observe

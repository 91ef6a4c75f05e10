#include "ingest/step_follower.h"

#include <gtest/gtest.h>

#include <string>

namespace lowtide::ingest {
namespace {

TEST(StepFollowerTest, steps_are_read_from_lines_that_arrive_in_pieces) {
  StepFollower follower;

  follower.feed("loading\nstep 1 loss 0.5\nste");
  const auto first = follower.step();
  follower.feed("p 2 loss 0.4\nstep 3 lo");

  EXPECT_EQ(first, 1);
  EXPECT_EQ(follower.step(), 2);
}

TEST(StepFollowerTest, lines_of_two_processes_that_run_into_each_other_are_no_large_step) {
  StepFollower follower;

  follower.feed("step 9\nstep 9\nstep 10step 10\n\n");

  EXPECT_EQ(follower.step(), 9);
}

TEST(StepFollowerTest, text_without_steps_has_none) {
  StepFollower follower;

  follower.feed("Loading checkpoint shards\nusing 8 GPUs\nwarning: 3 things\n");

  EXPECT_FALSE(follower.step());
}

TEST(StepFollowerTest, a_counter_of_every_epoch_goes_on) {
  StepFollower follower;

  for (int epoch = 0; epoch < 3; ++epoch) {
    for (int step = 0; step < 10; ++step) {
      follower.feed("epoch " + std::to_string(epoch) + " step " + std::to_string(step) + "/10 loss 0.1\n");
    }
  }

  EXPECT_EQ(follower.step(), 29);
}

TEST(StepFollowerTest, a_validation_loop_does_not_turn_the_steps_back) {
  StepFollower follower;

  follower.feed("step 100 loss 0.1\nstep 1 val_loss 0.2\nstep 2 val_loss 0.2\n");

  EXPECT_EQ(follower.step(), 100);
}

TEST(StepFollowerTest, a_line_without_end_is_not_kept) {
  StepFollower follower;

  for (int i = 0; i < 100; ++i) follower.feed(std::string(10'000, 'x'));
  follower.feed("\nstep 7 loss 1\n");

  EXPECT_EQ(follower.step(), 7);
}

}  // namespace
}  // namespace lowtide::ingest

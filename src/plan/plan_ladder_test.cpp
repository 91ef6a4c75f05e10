#include <gtest/gtest.h>

#include <algorithm>

#include "plan/ladder.h"
#include "plan/plan.h"

namespace lowtide::plan {
namespace {

using model::PlanKnob;

const PlanKnob* find_knob(const std::vector<PlanKnob>& ladder, const std::string& beginning) {
  const auto found = std::find_if(ladder.begin(), ladder.end(),
                                  [&](const PlanKnob& knob) { return knob.change.starts_with(beginning); });
  return found == ladder.end() ? nullptr : &*found;
}

JobSetup loader() {
  JobSetup setup;
  setup.parameters = 1e9;
  setup.batch = 64;
  setup.image = model::ImageSize{1000, 1000};
  setup.images_per_sample = 1;
  setup.workers = 8;
  return setup;
}

TEST(PlanLadder, largest_saving_comes_first) {
  const auto ladder = make_ladder(loader());
  ASSERT_GE(ladder.size(), 4U);
  for (std::size_t at = 1; at < ladder.size(); ++at) {
    EXPECT_GE(ladder[at - 1].host_bytes + ladder[at - 1].device_bytes,
              ladder[at].host_bytes + ladder[at].device_bytes);
  }
}

TEST(PlanLadder, saving_is_the_difference_of_two_plans) {
  JobSetup setup = loader();
  const double before = make_plan(setup).host.estimate;
  const auto ladder = make_ladder(setup);
  const PlanKnob* knob = find_knob(ladder, "workers 8 -> 4");
  ASSERT_NE(knob, nullptr);
  setup.workers = 4;
  EXPECT_DOUBLE_EQ(knob->host_bytes, before - make_plan(setup).host.estimate);
}

TEST(PlanLadder, change_that_was_already_made_is_not_offered) {
  JobSetup setup = loader();
  setup.checkpointing = true;
  setup.prefetch = 1;
  setup.optimizer = model::OptimizerKind::Adam8bit;
  const auto ladder = make_ladder(setup);
  EXPECT_EQ(find_knob(ladder, "gradient checkpointing"), nullptr);
  EXPECT_EQ(find_knob(ladder, "prefetch"), nullptr);
  EXPECT_EQ(find_knob(ladder, "optimizer"), nullptr);
}

TEST(PlanLadder, images_that_stay_open_are_the_first_thing_to_change) {
  JobSetup setup = loader();
  setup.workers = 0;
  setup.batch = 1;
  setup.examples = 100'000;
  const auto ladder = make_ladder(setup);
  ASSERT_GE(ladder.size(), 2U);
  EXPECT_TRUE(ladder[0].change == "read examples from disk" || ladder[0].change == "open images for each use")
      << ladder[0].change;
}

TEST(PlanLadder, kept_validation_outputs_can_be_released) {
  JobSetup setup = loader();
  setup.validation_samples = 32;
  setup.validation_episodes = 20;
  setup.validation_kept = true;
  const auto ladder = make_ladder(setup);
  ASSERT_NE(find_knob(ladder, "release validation outputs"), nullptr);
  EXPECT_NE(find_knob(ladder, "validation episodes 20 -> 10"), nullptr);
}

TEST(PlanLadder, every_change_has_instructions_and_a_cost) {
  for (const PlanKnob& knob : make_ladder(loader())) {
    EXPECT_FALSE(knob.how.empty()) << knob.change;
    EXPECT_FALSE(knob.cost.empty()) << knob.change;
  }
}

}  // namespace
}  // namespace lowtide::plan

#include "observe/agents/torch_counters.h"

#include <gtest/gtest.h>

namespace lowtide::observe {
namespace {

constexpr model::ProcessId kTrainer{7};
constexpr std::uint64_t kContext = 500;

AgentMarks marks_of(const std::vector<std::uint64_t>& reserved) {
  AgentMarks marks;
  for (const std::uint64_t bytes : reserved) marks.devices.push_back({bytes / 2, bytes, bytes / 4, 1, 0});
  marks.pinned_bytes = 64;
  return marks;
}

TEST(torch_counters, go_to_the_gpus_on_which_the_process_has_something_in_their_order) {
  model::Tick tick;
  tick.gpus.resize(4);
  tick.gpu_processes = {{1, kTrainer, 1000 + kContext, {}},
                        {2, model::ProcessId{8}, 9000, {}},
                        {3, kTrainer, 2000 + kContext, {}}};
  tell_torch(kTrainer, marks_of({0, 1000, 2000}), tick);

  ASSERT_EQ(tick.gpu_processes.size(), 3U);
  ASSERT_TRUE(tick.gpu_processes[0].torch && tick.gpu_processes[2].torch);
  EXPECT_EQ(tick.gpu_processes[0].torch->reserved_bytes, 1000U);
  EXPECT_EQ(tick.gpu_processes[2].torch->reserved_bytes, 2000U);
  EXPECT_EQ(tick.gpu_processes[2].torch->pinned_bytes, 64U);
  EXPECT_FALSE(tick.gpu_processes[1].torch);
}

TEST(torch_counters, are_not_guessed_where_the_driver_counts_other_gpus) {
  model::Tick tick;
  tick.gpu_processes = {{0, kTrainer, 1000 + kContext, {}}};
  tell_torch(kTrainer, marks_of({1000, 2000}), tick);

  EXPECT_FALSE(tick.gpu_processes[0].torch);
}

TEST(torch_counters, stay_out_where_torch_has_more_than_the_driver_gives_the_process) {
  model::Tick tick;
  tick.gpu_processes = {{0, kTrainer, 900, {}}};
  tell_torch(kTrainer, marks_of({1000}), tick);

  EXPECT_FALSE(tick.gpu_processes[0].torch);
}

TEST(torch_counters, are_not_guessed_where_the_gpus_were_given_in_another_order) {
  model::Tick tick;
  tick.gpu_processes = {{0, kTrainer, 9000 + kContext, {}}, {1, kTrainer, 1000 + kContext, {}}};
  tell_torch(kTrainer, marks_of({900, 800}), tick);
  EXPECT_TRUE(tick.gpu_processes[0].torch);

  tick.gpu_processes = {{0, kTrainer, 9000 + kContext, {}}, {1, kTrainer, 1000 + kContext, {}}};
  tell_torch(kTrainer, marks_of({800, 900}), tick);
  EXPECT_FALSE(tick.gpu_processes[0].torch);
}

TEST(torch_counters, are_shown_alone_where_the_driver_names_no_process) {
  model::Tick tick;
  tick.gpus = {{0, 100'000, 2000}};
  tell_torch(kTrainer, marks_of({1000}), tick);

  ASSERT_EQ(tick.gpu_processes.size(), 1U);
  EXPECT_EQ(tick.gpu_processes[0].index, 0);
  EXPECT_EQ(tick.gpu_processes[0].bytes, 1000U);
}

TEST(torch_counters, are_not_shown_alone_where_torch_sees_only_some_of_the_gpus) {
  model::Tick tick;
  tick.gpus.resize(8);
  tell_torch(kTrainer, marks_of({1000}), tick);

  EXPECT_TRUE(tick.gpu_processes.empty());
}

}  // namespace
}  // namespace lowtide::observe

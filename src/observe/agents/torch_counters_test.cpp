#include "observe/agents/torch_counters.h"

#include <gtest/gtest.h>

namespace lowtide::observe {
namespace {

constexpr model::ProcessId kTrainer{7};
constexpr std::uint64_t kContext = 500;

AgentMarks marks_of(const std::vector<std::uint64_t>& reserved) {
  AgentMarks marks;
  for (const std::uint64_t bytes : reserved) {
    marks.devices.push_back({bytes / 2, bytes, bytes / 4, 1, 0, 0, {}, {}});
  }
  marks.pinned_bytes = 64;
  return marks;
}

TEST(torch_counters, go_to_the_gpus_on_which_the_process_has_something_in_their_order) {
  model::Tick tick;
  tick.gpus.resize(4);
  tick.gpu_processes = {{1, kTrainer, 1000 + kContext, {}},
                        {2, model::ProcessId{8}, 9000, {}},
                        {3, kTrainer, 2000 + kContext, {}}};
  add_torch_counters(kTrainer, marks_of({0, 1000, 2000}), {}, tick);

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
  add_torch_counters(kTrainer, marks_of({1000, 2000}), {}, tick);

  EXPECT_FALSE(tick.gpu_processes[0].torch);
}

TEST(torch_counters, stay_out_where_torch_has_more_than_the_driver_gives_the_process) {
  model::Tick tick;
  tick.gpu_processes = {{0, kTrainer, 900, {}}};
  add_torch_counters(kTrainer, marks_of({1000}), {}, tick);

  EXPECT_FALSE(tick.gpu_processes[0].torch);
}

TEST(torch_counters, are_not_guessed_where_the_gpus_were_given_in_another_order) {
  model::Tick tick;
  tick.gpu_processes = {{0, kTrainer, 9000 + kContext, {}}, {1, kTrainer, 1000 + kContext, {}}};
  add_torch_counters(kTrainer, marks_of({900, 800}), {}, tick);
  EXPECT_TRUE(tick.gpu_processes[0].torch);

  tick.gpu_processes = {{0, kTrainer, 9000 + kContext, {}}, {1, kTrainer, 1000 + kContext, {}}};
  add_torch_counters(kTrainer, marks_of({800, 900}), {}, tick);
  EXPECT_FALSE(tick.gpu_processes[0].torch);
}

TEST(torch_counters, are_shown_alone_where_the_driver_names_no_process) {
  model::Tick tick;
  tick.gpus = {{0, 100'000, 2000}};
  add_torch_counters(kTrainer, marks_of({1000}), {}, tick);

  ASSERT_EQ(tick.gpu_processes.size(), 1U);
  EXPECT_EQ(tick.gpu_processes[0].index, 0);
  EXPECT_EQ(tick.gpu_processes[0].bytes, 1000U);
}

TEST(torch_counters, are_not_shown_alone_where_torch_sees_only_some_of_the_gpus) {
  model::Tick tick;
  tick.gpus.resize(8);
  add_torch_counters(kTrainer, marks_of({1000}), {}, tick);

  EXPECT_TRUE(tick.gpu_processes.empty());
}

const std::vector<gpu::Device>& two_gpus() {
  static const std::vector<gpu::Device> kDevices = {{0, "H200", "GPU-01000000-0000-0000-0000-000000000000"},
                                                    {1, "H200", "GPU-02000000-0000-0000-0000-000000000000"}};
  return kDevices;
}

// CUDA's device 0 is the driver's GPU 1, as with CUDA_VISIBLE_DEVICES=1,0.
AgentMarks in_reverse_order(std::uint64_t first, std::uint64_t second, std::uint64_t total = 100'000) {
  AgentMarks marks = marks_of({first, second});
  for (AgentDevice& device : marks.devices) device.total_bytes = total;
  marks.devices[0].uuid = {2, 0};
  marks.devices[1].uuid = {1, 0};
  return marks;
}

TEST(torch_counters, are_matched_by_uuid_in_any_order) {
  model::Tick tick;
  tick.gpus = {{0, 100'000, 1700}, {1, 100'000, 1700}};
  tick.gpu_processes = {{0, kTrainer, 1000 + kContext, {}}, {1, kTrainer, 1000 + kContext, {}}};
  add_torch_counters(kTrainer, in_reverse_order(1000, 900), two_gpus(), tick);

  ASSERT_EQ(tick.gpu_processes.size(), 2U);
  EXPECT_EQ(tick.gpu_processes[0].torch->reserved_bytes, 900U);
  EXPECT_EQ(tick.gpu_processes[1].torch->reserved_bytes, 1000U);
}

TEST(torch_counters, of_several_gpus_are_known_where_the_driver_names_no_process) {
  model::Tick tick;
  tick.gpus = {{0, 100'000, 1700}, {1, 100'000, 1700}};
  add_torch_counters(kTrainer, in_reverse_order(1000, 900), two_gpus(), tick);

  ASSERT_EQ(tick.gpu_processes.size(), 2U);
  EXPECT_EQ(tick.gpu_processes[0].index, 1);
  EXPECT_EQ(tick.gpu_processes[0].bytes, 1000U);
  EXPECT_EQ(tick.gpu_processes[1].index, 0);
}

TEST(torch_counters, wait_for_the_next_reading_of_the_driver) {
  model::Tick tick;
  add_torch_counters(kTrainer, in_reverse_order(1000, 900), two_gpus(), tick);

  EXPECT_TRUE(tick.gpu_processes.empty());
}

TEST(torch_counters, of_a_slice_have_the_limit_of_the_slice) {
  model::Tick tick;
  tick.gpus = {{0, 100'000, 50'000}, {1, 100'000, 50'000}};
  add_torch_counters(kTrainer, in_reverse_order(1000, 900, 20'000), two_gpus(), tick);
  add_torch_counters(model::ProcessId{8}, in_reverse_order(500, 1200, 20'000), two_gpus(), tick);

  EXPECT_EQ(tick.gpus[1].total_bytes, 20'000U);
  EXPECT_EQ(tick.gpus[1].used_bytes, 1000U);
  EXPECT_EQ(tick.gpus[0].used_bytes, 1200U) << "the fullest slice";
}

}  // namespace
}  // namespace lowtide::observe

#include "explain/findings/gpu/what_fits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lowtide::explain {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::uint64_t kFitsGB = 1'000'000'000;
constexpr model::ProcessId kFailed{7};

model::TensorCount tensors_of(std::vector<std::int64_t> shape, std::uint64_t gb) {
  return {.device = "cuda:0", .dtype = "float32", .shape = std::move(shape), .storage_bytes = gb * kFitsGB};
}

record::RecordedSnapshot tensors_at(double at_s, std::vector<model::TensorCount> tensors) {
  model::Snapshot out;
  out.at_s = at_s;
  out.tensors = std::move(tensors);
  for (const model::TensorCount& each : out.tensors) out.device_bytes += each.storage_bytes;
  out.cuda_allocated_bytes = out.device_bytes;
  return {kFailed, out};
}

// 2.54 GB were asked for and 1.01 GB were free.
class WhatFitsTest : public testing::Test {
 protected:
  WhatFitsTest() {
    evidence_.snapshots = {tensors_at(40, {tensors_of({88'604, 4096}, 60), tensors_of({4096, 4096}, 2)}),
                           tensors_at(60, {tensors_of({154'954, 4096}, 116), tensors_of({4096, 4096}, 2)})};
    for (int at = 0; at < 70; ++at) evidence_.target.push_back({.at_s = 1.0 * at, .step = 0.5 * at});
    failure_.held.parts = {
        {.name = "activations", .bytes = 116 * kFitsGB, .kind = model::MemoryPartKind::Activations},
        {.name = "`cache`", .bytes = 21 * kFitsGB, .kind = model::MemoryPartKind::Variable},
        {.name = "`small`", .bytes = kFitsGB, .kind = model::MemoryPartKind::Variable}};
  }

  model::Snapshot& failed() { return evidence_.snapshots.back().snapshot; }

  WhatFits found() {
    failure_.snapshot = &failed();
    failure_.process = kFailed;
    return find_what_fits(evidence_, event_, failure_);
  }

  Evidence evidence_;
  GpuFailure failure_;
  model::Event event_ = {
      .kind = model::EventKind::CudaOom, .asked_bytes = 2'540'000'000, .free_bytes = 1'010'000'000};
};

TEST_F(WhatFitsTest, batch_of_an_earlier_step_fitted) {
  EXPECT_THAT(found().advice, Contains("use batches of 88,604, which fitted at step 20"));
  EXPECT_THAT(found().evidence,
              Contains("tensors of [88,604, 4,096] float32 fitted at step 20; when it failed they "
                       "were [154,954, 4,096] float32, and held 116 GB"));
}

TEST_F(WhatFitsTest, variable_that_holds_more_than_was_missing_can_be_released) {
  EXPECT_THAT(found().advice, Contains("release `cache` (21.0 GB) if it is no longer needed"));
  EXPECT_THAT(found().evidence, Contains("`cache` holds 21.0 GB; 1.53 GB were missing"));
  EXPECT_THAT(found().advice, Not(Contains(HasSubstr("small"))));
}

TEST_F(WhatFitsTest, input_of_the_step_can_be_smaller_and_not_be_released) {
  failed().tensors[0].storages = 30;  // of 3.87 GB each
  failure_.held.parts[2] = {.name = "`x`", .bytes = 3'866'000'000, .kind = model::MemoryPartKind::Variable};
  EXPECT_THAT(found().advice, Not(Contains(HasSubstr("`x`"))));
  EXPECT_THAT(found().advice, Contains(HasSubstr("`cache`")));
}

TEST_F(WhatFitsTest, layers_that_differ_in_one_dimension_are_no_batches) {
  evidence_.snapshots[0].snapshot.tensors = {tensors_of({1024, 4096}, 60), tensors_of({4096, 4096}, 60)};
  failed().tensors = evidence_.snapshots[0].snapshot.tensors;
  EXPECT_THAT(found().advice, Not(Contains(HasSubstr("fitted"))));
}

TEST_F(WhatFitsTest, length_of_sequences_is_a_dimension_as_well) {
  evidence_.snapshots[0].snapshot.tensors = {tensors_of({8, 512, 1024}, 20)};
  failed().tensors = {tensors_of({8, 3000, 1024}, 116)};
  EXPECT_THAT(found().advice, Contains("use at most 512 in dimension 2, which fitted at step 20"));
}

TEST_F(WhatFitsTest, largest_batch_that_fitted_is_named) {
  auto later = tensors_at(50, {tensors_of({134'743, 4096}, 100)});
  evidence_.snapshots.insert(evidence_.snapshots.begin() + 1, later);
  EXPECT_THAT(found().advice, Contains("use batches of 134,743, which fitted at step 25"));
}

TEST_F(WhatFitsTest, peak_of_the_steps_before_is_stated) {
  failed().gpu_peaks = {{.bytes = 146'900'000'000, .steps = 26}};
  EXPECT_THAT(found().evidence, Contains("the first 26 steps fitted: torch had allocated 147 GB at most"));
}

TEST_F(WhatFitsTest, line_with_most_at_an_earlier_peak_is_stated) {
  failed().gpu_blocks.peak_step = 26;
  failed().gpu_lines = {{.file = "/job/peak.py", .line = 14, .bytes = 70 * kFitsGB, .is_at_peak = true},
                        {.file = "/job/peak.py", .line = 13, .bytes = 2 * kFitsGB, .is_at_peak = true}};
  EXPECT_THAT(found().evidence, Contains("at the peak of step 26, peak.py:14 had allocated 70.0 GB"));
}

TEST_F(WhatFitsTest, free_memory_between_blocks_is_named_where_it_would_have_been_enough) {
  failed().gpu_pools = {
      {.name = "default", .split_bytes = 3 * kFitsGB, .free_blocks = 9, .mappable_bytes = 3 * kFitsGB}};
  EXPECT_THAT(found().advice, Contains(HasSubstr("expandable_segments")));
  failed().gpu_pools[0].split_bytes = failed().gpu_pools[0].mappable_bytes = kFitsGB;
  EXPECT_THAT(found().advice, Not(Contains(HasSubstr("expandable_segments"))));
}

TEST_F(WhatFitsTest, nothing_is_said_where_torch_refused_it) {
  event_.is_refused_by_torch = true;
  EXPECT_THAT(found().advice, IsEmpty());
}

TEST_F(WhatFitsTest, nothing_is_said_without_a_snapshot) {
  failure_.snapshot = nullptr;
  EXPECT_THAT(find_what_fits(evidence_, event_, failure_).evidence, IsEmpty());
}

}  // namespace
}  // namespace lowtide::explain

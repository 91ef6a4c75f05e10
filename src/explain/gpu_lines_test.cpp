#include "explain/gpu_lines.h"

#include <gtest/gtest.h>

namespace lowtide::explain {
namespace {

using model::GpuLine;
using model::GpuLineKind;

constexpr std::uint64_t kLinesMB = 1'000'000;
constexpr model::ProcessId kLinesTrainer{7};
constexpr std::int64_t kLinesPid = 4711;

GpuLine line_at(std::uint64_t line, std::uint64_t mb, std::uint64_t blocks) {
  return {
      .file = "/job/train.py", .line = line, .function = "step", .bytes = mb * kLinesMB, .blocks = blocks};
}

// torch has allocated the sum of the lines and of what has no stack.
record::RecordedSnapshot blocks_at(double at_s, std::uint64_t recorded, std::uint64_t steps,
                                   std::vector<GpuLine> lines, std::uint64_t without_mb) {
  model::Snapshot out;
  out.at_s = at_s;
  out.gpu_blocks = {.allocator = "native", .steps = steps, .recorded_steps = recorded};
  out.gpu_lines = std::move(lines);
  out.gpu_lines.push_back({.kind = GpuLineKind::WithoutStack, .bytes = without_mb * kLinesMB, .blocks = 1});
  out.gpu_pools = {{.name = "default", .reserved_bytes = 9000 * kLinesMB}};
  return {kLinesTrainer, out};
}

Evidence evidence_of(std::vector<record::RecordedSnapshot> snapshots) {
  Evidence out;
  model::ProcessInfo info;
  info.id = kLinesTrainer;
  info.pid = kLinesPid;
  out.processes.push_back({.info = info});
  GpuEvidence gpu;
  gpu.processes.push_back({.id = kLinesTrainer, .series = {{.at_s = 1, .high_bytes = 1}}});
  out.gpus.push_back(std::move(gpu));
  out.snapshots = std::move(snapshots);
  return out;
}

model::GpuReport lines_of(const Evidence& evidence) {
  std::vector<model::GpuReport> gpus(1);
  gpus[0].pid = kLinesPid;
  SourceFiles sources;
  add_gpu_lines(evidence, sources, gpus);
  return gpus[0];
}

std::uint64_t sum_of(const model::GpuReport& gpu) {
  std::uint64_t out = 0;
  for (const auto& line : gpu.blocks->lines) out += line.bytes;
  return out;
}

// Line 30 keeps 4 MB at every step; line 10 has allocated 400 MB once, in a recorded step.
const std::vector<record::RecordedSnapshot> kLeak = {
    blocks_at(10, 2, 24, {line_at(30, 8, 2), line_at(10, 400, 50)}, 588),
    blocks_at(50, 12, 144, {line_at(30, 48, 12), line_at(10, 400, 50)}, 1028)};

TEST(GpuLines, line_that_keeps_something_at_every_step_is_counted_for_all_steps) {
  const model::GpuReport gpu = lines_of(evidence_of(kLeak));

  const model::GpuLineReport* const grown = find_growing_line(gpu);
  ASSERT_NE(grown, nullptr);
  EXPECT_EQ(grown->line.line, 30U);
  EXPECT_EQ(grown->growth_per_step, 4e6);
  EXPECT_EQ(grown->bytes, kLinesMB * 144 * 4);
  EXPECT_EQ(grown->seen_bytes, 48 * kLinesMB);
}

TEST(GpuLines, growth_is_given_for_the_steps_of_the_report) {
  Evidence evidence = evidence_of(kLeak);
  for (int at = 0; at < 60; ++at) evidence.target.push_back({.at_s = 1.0 * at, .step = 12.0 * at});

  EXPECT_EQ(find_growing_line(lines_of(evidence))->growth_per_step, 1e6)
      << "480 steps of the report, 120 of the script";
}

TEST(GpuLines, rows_add_up_to_what_torch_has_allocated) {
  const model::GpuReport gpu = lines_of(evidence_of(kLeak));

  EXPECT_EQ(sum_of(gpu), (48 + 400 + 1028) * kLinesMB);
  ASSERT_EQ(gpu.blocks->lines.size(), 3U);
  EXPECT_EQ(gpu.blocks->lines[0].line.line, 30U);
  EXPECT_EQ(gpu.blocks->lines[1].bytes, (1028 - 528) * kLinesMB);
}

TEST(GpuLines, line_that_began_to_keep_after_the_first_snapshot_is_not_counted_before_it) {
  const auto first = blocks_at(10, 6, 72, {}, 500);

  const auto last = blocks_at(50, 12, 144, {line_at(30, 48, 12)}, 1028);
  const model::GpuReport gpu = lines_of(evidence_of({first, last}));

  EXPECT_EQ(find_growing_line(gpu)->bytes, kLinesMB * 72 * 8)
      << "8 MB in each of 6 recorded steps, 72 steps in all";
}

TEST(GpuLines, estimates_take_no_more_than_what_has_no_stack) {
  const auto first = blocks_at(10, 2, 24, {line_at(30, 8, 2)}, 100);
  const auto last = blocks_at(50, 12, 144, {line_at(30, 48, 12)}, 100);

  const model::GpuReport gpu = lines_of(evidence_of({first, last}));

  EXPECT_EQ(sum_of(gpu), 148 * kLinesMB);
  EXPECT_LT(find_growing_line(gpu)->growth_per_step, 2e6);
}

TEST(GpuLines, line_that_allocated_much_at_one_step_does_not_grow) {
  const auto first = blocks_at(10, 2, 24, {}, 500);
  const auto last = blocks_at(50, 22, 264, {line_at(10, 400, 3)}, 500);

  const model::GpuReport gpu = lines_of(evidence_of({first, last}));

  EXPECT_EQ(find_growing_line(gpu), nullptr);
  EXPECT_EQ(gpu.blocks->lines[1].bytes, 400 * kLinesMB);
  EXPECT_EQ(gpu.blocks->lines[1].growth_per_step, 0.0);
}

TEST(GpuLines, line_that_allocated_many_blocks_between_two_of_many_snapshots_does_not_grow) {
  const auto at = [](std::uint64_t tenth, std::vector<GpuLine> lines) {
    return blocks_at(10.0 * static_cast<double>(tenth), 10 * tenth, 120 * tenth, std::move(lines), 5000);
  };
  const auto late = line_at(10, 400, 90);

  const model::GpuReport gpu =
      lines_of(evidence_of({at(1, {}), at(2, {late}), at(3, {late}), at(4, {late})}));

  EXPECT_EQ(find_growing_line(gpu), nullptr);
}

TEST(GpuLines, growth_of_one_snapshot_is_not_known) {
  const model::GpuReport gpu = lines_of(evidence_of({kLeak[1]}));

  EXPECT_EQ(find_growing_line(gpu), nullptr);
  EXPECT_EQ(gpu.blocks->lines[1].growth_per_step, std::nullopt);
  EXPECT_EQ(sum_of(gpu), (48 + 400 + 1028) * kLinesMB);
}

TEST(GpuLines, lines_are_not_given_where_the_process_uses_two_gpus) {
  Evidence evidence = evidence_of(kLeak);
  evidence.gpus.push_back(evidence.gpus[0]);
  evidence.gpus[1].index = 1;
  EXPECT_FALSE(lines_of(evidence).blocks);
}

TEST(GpuLines, lines_at_the_peak_of_a_step_are_rows_of_their_own) {
  auto snapshot = blocks_at(10, 2, 24, {line_at(30, 8, 2)}, 500);
  GpuLine at_peak = line_at(31, 4000, 9);
  at_peak.is_at_peak = true;
  snapshot.snapshot.gpu_lines.push_back(at_peak);

  const model::GpuReport gpu = lines_of(evidence_of({snapshot}));

  EXPECT_EQ(sum_of(gpu), 508 * kLinesMB);
  ASSERT_EQ(gpu.blocks->peak_lines.size(), 1U);
  EXPECT_EQ(gpu.blocks->peak_lines[0].line.line, 31U);
}

TEST(GpuLines, reason_why_there_are_no_lines_is_kept) {
  auto snapshot = blocks_at(10, 0, 24, {}, 500);
  snapshot.snapshot.gpu_blocks.no_stacks = "the job records the history of allocations itself";
  const model::GpuReport gpu = lines_of(evidence_of({snapshot}));
  ASSERT_TRUE(gpu.blocks);
  EXPECT_EQ(gpu.blocks->blocks.no_stacks, "the job records the history of allocations itself");
}

}  // namespace
}  // namespace lowtide::explain

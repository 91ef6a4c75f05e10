#include "observe/agents/gpu_blocks_text.h"

#include <gtest/gtest.h>

#include <string>

namespace lowtide::observe {
namespace {

model::Snapshot read(std::string_view text) {
  model::Snapshot out;
  add_gpu_blocks(text, out);
  return out;
}

// As gpu_blocks.py writes it.
constexpr std::string_view kWhole =
    "history 13 150 12 \n"
    "backend native\n"
    "peak 0 5000 149\n"
    "pool 0 0 0 1000 700 690 10 190 100 120 3 90 80 4 64 512 5 1\n"
    "pool 0 3 0 2000 2000 2000 0 0 0 0 0 0 0 1 0 0 0 0\n"
    "pool 0 0 7 3000 0 0 0 0 3000 3000 1 0 0 1 0 0 0 0\n"
    "peak-step 140\n"
    "peak-line 0 8192 1 31 forward /job/net.py\n"
    "peak-before 0 512 0\n"
    "line 0 4096 2 30 train_step /job/my train.py\n"
    "other 0 512 1\n"
    "without 0 2048 4\n";

TEST(GpuBlocksText, every_line_is_read) {
  const model::Snapshot snapshot = read(kWhole);
  EXPECT_EQ(snapshot.gpu_blocks.allocator, "native");
  EXPECT_EQ(snapshot.gpu_blocks.recorded_steps, 13U);
  EXPECT_EQ(snapshot.gpu_blocks.steps, 150U);
  EXPECT_EQ(snapshot.gpu_blocks.no_stacks, "");
  ASSERT_EQ(snapshot.gpu_peaks.size(), 1U);
  EXPECT_EQ(snapshot.gpu_peaks[0].bytes, 5000U);
  EXPECT_EQ(snapshot.gpu_peaks[0].steps, 149U);
  ASSERT_EQ(snapshot.gpu_pools.size(), 3U);
  const model::GpuPool& pool = snapshot.gpu_pools[0];
  EXPECT_EQ(pool.name, "default");
  EXPECT_EQ(pool.reserved_bytes, 1000U);
  EXPECT_EQ(pool.awaiting_bytes, 10U);
  EXPECT_EQ(pool.split_bytes, 190U);
  EXPECT_EQ(pool.segment_sizes, 5U);
  EXPECT_TRUE(pool.is_expandable);
  EXPECT_EQ(snapshot.gpu_pools[1].name, "CUDA graph 3");
  EXPECT_EQ(snapshot.gpu_pools[2].name, "private pool 7");
  EXPECT_EQ(snapshot.gpu_blocks.peak_step, 140U);
  ASSERT_EQ(snapshot.gpu_lines.size(), 5U);
  EXPECT_TRUE(snapshot.gpu_lines[0].is_at_peak);
  EXPECT_EQ(snapshot.gpu_lines[0].file, "/job/net.py");
  EXPECT_EQ(snapshot.gpu_lines[1].kind, model::GpuLineKind::BeforeStep);
  EXPECT_FALSE(snapshot.gpu_lines[2].is_at_peak);
  EXPECT_EQ(snapshot.gpu_lines[2].file, "/job/my train.py");
  EXPECT_EQ(snapshot.gpu_lines[2].line, 30U);
  EXPECT_EQ(snapshot.gpu_lines[2].function, "train_step");
  EXPECT_EQ(snapshot.gpu_lines[2].blocks, 2U);
  EXPECT_EQ(snapshot.gpu_lines[3].kind, model::GpuLineKind::FurtherLines);
  EXPECT_EQ(snapshot.gpu_lines[4].kind, model::GpuLineKind::WithoutStack);
  EXPECT_EQ(snapshot.gpu_lines[4].bytes, 2048U);
}

TEST(GpuBlocksText, reason_why_there_are_no_stacks_is_kept) {
  EXPECT_EQ(read("history 0 12 12 the allocator of torch is pluggable\n").gpu_blocks.no_stacks,
            "the allocator of torch is pluggable");
}

TEST(GpuBlocksText, text_that_was_cut_loses_its_last_line_only) {
  for (std::size_t bytes = 0; bytes < kWhole.size(); ++bytes) {
    const model::Snapshot snapshot = read(kWhole.substr(0, bytes));
    for (const model::GpuLine& line : snapshot.gpu_lines) {
      EXPECT_TRUE(line.kind != model::GpuLineKind::Line || line.file == "/job/my train.py" ||
                  line.file == "/job/net.py")
          << bytes;
    }
  }
  EXPECT_EQ(read(kWhole.substr(0, kWhole.size() - 1)).gpu_lines.size(), 4U);
}

TEST(GpuBlocksText, what_makes_no_sense_is_left_out) {
  const model::Snapshot snapshot = read(
      "pool 0 0 0 1000\n"
      "pool 0 0 0 -1 700 690 10 190 100 120 3 90 80 4 64 512 5 1\n"
      "line 0 4096 2 30 f\n"
      "line 0 99999999999999999999 2 30 f a.py\n"
      "line 0 9999999999999999 2 30 f a.py\n"
      "line x 1 2 30 f a.py\n"
      "history 13 12 12 \n"
      "\n \n\0\n");
  EXPECT_TRUE(snapshot.gpu_pools.empty());
  EXPECT_TRUE(snapshot.gpu_lines.empty());
  EXPECT_EQ(snapshot.gpu_blocks.recorded_steps, 0U);
}

TEST(GpuBlocksText, escape_sequences_of_the_target_do_not_pass) {
  const model::Snapshot snapshot = read("line 0 4096 2 30 f\x1b[2J a\x1b[2J.py\n");
  ASSERT_EQ(snapshot.gpu_lines.size(), 1U);
  EXPECT_EQ((snapshot.gpu_lines[0].file + snapshot.gpu_lines[0].function).find('\x1b'), std::string::npos);
}

TEST(GpuBlocksText, number_of_rows_is_bounded) {
  std::string text;
  for (int at = 0; at < 5000; ++at) text += "line 0 1 1 " + std::to_string(at) + " f a.py\n";
  EXPECT_EQ(read(text).gpu_lines.size(), 256U);
}

}  // namespace
}  // namespace lowtide::observe

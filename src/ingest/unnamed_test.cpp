// What does not say what it is: columns without names, GPUs and writers in one file, percentages.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ingest/log_reader.h"
#include "ingest/testing/read_text.h"

namespace lowtide::ingest {
namespace {

using testing::HasSubstr;

std::vector<std::string> names_of(const Read& result) {
  std::vector<std::string> names;
  for (const RecordedSeries& series : result.log.series) names.push_back(series.info.name);
  return names;
}

TEST(two_columns_without_a_header, are_read_with_a_warning_that_says_as_what) {
  const Read by_time = read("0.5 5552\n1.0 5560\n1.5 5570\n");
  const Read by_step = read("10 5552000\n20 5560000\n");

  ASSERT_EQ(by_time.log.series.size(), 1U);
  EXPECT_EQ(by_time.log.series[0].samples[2].bytes, 5'570'000'000U);
  EXPECT_THAT(by_time.warnings, HasSubstr("first was read as the time, the second as memory in MB"));
  EXPECT_EQ(by_step.log.series[0].samples[1].step, 20);
  EXPECT_THAT(by_step.warnings, HasSubstr("as the step, the second as memory in KiB"));
}

TEST(lines_of_two_numbers, are_ignored_where_other_lines_tell_the_memory) {
  const Read result = read("step 1 rss 5000 MB\n640 480\nstep 2 rss 5001 MB\n");

  EXPECT_EQ(result.log.series.size(), 1U);
  EXPECT_THAT(result.warnings, HasSubstr("lines with two numbers"));
}

TEST(rows_of_tools_without_their_header, are_read) {
  const Read pidstat = read("00:43:34        0      2503      0.00      0.00    5100    3876   0.02  bash\n");
  const Read ps = read("root 4711 99.9 2.2 1190000 5552000 pts/0 R+ 10:00 1:23 python train.py\n");

  EXPECT_EQ(names_of(pidstat), std::vector<std::string>{"bash (2503)"});
  EXPECT_EQ(names_of(ps), std::vector<std::string>{"python (4711)"});
}

TEST(several_gpus_in_one_line, are_a_series_each) {
  for (const char* line :
       {"step 1: CPU RAM 5.0 GB, GPU0 8.0 GB, GPU1 7.0 GB\n",
        "[GPU 0] mem 8.0 GB [GPU 1] mem 7.0 GB RSS 5.0 GB\n",
        "cuda:0 alloc 8.0GB cuda:1 alloc 7.0GB rss 5.0GB\n", "gpu0_mem=8.0GB gpu1_mem=7.0GB rss=5.0GB\n"}) {
    const Read result = read(std::string(line) + line);

    std::vector<std::pair<int, std::uint64_t>> found;
    for (const RecordedSeries& series : result.log.series)
      found.emplace_back(series.info.gpu_index.value_or(-1), series.samples.back().bytes);
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, (std::vector<std::pair<int, std::uint64_t>>{
                         {-1, 5'000'000'000U}, {0, 8'000'000'000U}, {1, 7'000'000'000U}}))
        << line;
  }
}

TEST(a_gpu_that_a_line_names, keeps_allocated_and_reserved_apart) {
  const Read result = read("cuda:1 alloc 7.2GB reserved 8.0GB\n[GPU 1] 7.3 GB allocated\n");

  ASSERT_GE(result.log.series.size(), 2U);
  EXPECT_EQ(result.log.series[0].info.gpu_index, 1);
  EXPECT_EQ(result.log.series[1].info.gpu_index, 1);
  EXPECT_EQ(result.log.series[1].info.quantity, model::Quantity::GpuReserved);
  EXPECT_EQ(result.log.series[1].samples[0].bytes, 8'000'000'000U);
}

TEST(a_pair_that_says_its_unit_once, is_a_reading_and_its_limit) {
  const Read result = read("step 1 mem=5.2/64.0GB\nstep 2 mem=5.3/64.0GB\n");

  ASSERT_EQ(result.log.series.size(), 1U);
  EXPECT_EQ(result.log.series[0].samples[1].bytes, 5'300'000'000U);
  EXPECT_EQ(result.log.series[0].info.limit_bytes, 64'000'000'000U);
}

TEST(rows_of_nvidia_smi_without_a_header, are_parted_by_what_names_the_gpu) {
  const Read result = read(
      "2024/06/01 11:27:05.177, NVIDIA A100, GPU-5d4a7a0c-aaaa-bbbb, 44, 40960 MiB, 400 MiB\n"
      "2024/06/01 11:27:05.177, NVIDIA A100, GPU-6e5b8b1d-aaaa-bbbb, 45, 40960 MiB, 900 MiB\n"
      "2024/06/01 11:27:06.177, NVIDIA A100, GPU-5d4a7a0c-aaaa-bbbb, 46, 40960 MiB, 401 MiB\n"
      "2024/06/01 11:27:06.177, NVIDIA A100, GPU-6e5b8b1d-aaaa-bbbb, 47, 40960 MiB, 900 MiB\n");

  ASSERT_EQ(result.log.series.size(), 2U);
  EXPECT_EQ(result.log.series[0].info.gpu_id, "GPU-5d4a7a0c-aaaa-bbbb");
  EXPECT_EQ(result.log.series[0].info.gpu_name, "NVIDIA A100");
  EXPECT_EQ(result.log.series[1].samples.size(), 2U);
}

TEST(sizes_alone_that_take_turns, are_read_as_rows_of_several_gpus) {
  std::string text;
  for (int tick = 0; tick < 30; ++tick) text += fmt::format("{} MiB\n5000 MiB\n", 4000 + 3 * tick);

  const Read result = read(text);

  ASSERT_EQ(result.log.series.size(), 2U);
  EXPECT_EQ(result.log.series[0].info.quantity, model::Quantity::GpuUsed);
  EXPECT_EQ(result.log.series[1].samples.front().bytes, result.log.series[1].samples.back().bytes);
  EXPECT_THAT(result.warnings, HasSubstr("2 GPUs"));
}

TEST(a_table_of_memory_summary, gives_allocated_and_reserved_of_its_gpu) {
  const Read result = read(
      "|                  PyTorch CUDA memory summary, device ID 1                 |\n"
      "|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |\n"
      "| Allocated memory      |  659155 KB |    4460 MB |   12439 MB |   11795 MB |\n"
      "|       from large pool |  658000 KB |    4459 MB |   12438 MB |   11795 MB |\n"
      "| Requested memory      |  650000 KB |    4459 MB |   12438 MB |   11795 MB |\n"
      "| GPU reserved memory   |    5212 MB |    5212 MB |    5212 MB |       0 B  |\n"
      "| Allocations           |     120    |     150    |    1000    |     880    |\n");

  EXPECT_EQ(names_of(result), (std::vector<std::string>{"GPU 1 allocated", "GPU 1 reserved"}));
  EXPECT_EQ(result.log.readings, 2U);
}

TEST(a_percentage_of_wandb, is_ignored_and_said) {
  const Read result = read(
      "{\"_step\": 0, \"system.gpu.1.memoryAllocatedBytes\": 1e10, \"system.gpu.1.memoryAllocated\": 25.0}\n"
      "{\"_step\": 1, \"system.gpu.1.memoryAllocatedBytes\": 1e10, \"system.gpu.1.memoryAllocated\": "
      "25.0}\n");

  ASSERT_EQ(result.log.series.size(), 1U);
  EXPECT_EQ(result.log.series[0].info.gpu_index, 1);
  EXPECT_EQ(result.log.series[0].samples[1].bytes, 10'000'000'000U);
  EXPECT_THAT(result.warnings, HasSubstr("percentage"));
}

TEST(writers_that_do_not_say_who_they_are, are_distinguished_by_their_level) {
  std::string text;
  for (int step = 0; step < 40; ++step)
    text += fmt::format("step {0} rss {1} MB\nstep {0} rss {2} MB\n", step, 5000, 9000 + 3 * step);

  const Read result = read(text);

  ASSERT_EQ(result.log.series.size(), 2U);
  EXPECT_EQ(result.log.series[0].samples.size(), 40U);
  EXPECT_EQ(result.log.series[0].samples.back().bytes, 5'000'000'000U);
  EXPECT_EQ(result.log.series[1].samples.back().bytes, 9'117'000'000U);
  EXPECT_THAT(result.warnings, HasSubstr("2 processes"));
}

TEST(several_pids_that_write, are_named_in_their_series) {
  std::string text;
  for (int step = 0; step < 20; ++step)
    text += fmt::format("[pid 1000] step {0} rss 5000 MB\n[pid 1001] step {0} rss 5001 MB\n", step);

  const Read result = read(text);

  EXPECT_EQ(names_of(result),
            (std::vector<std::string>{"process memory (1000): rss", "process memory (1001): rss"}));
}

TEST(what_the_kernel_says_of_a_kill, is_no_memory_whatever_the_victim_is_called) {
  const Read result = read(
      "step 1 rss 5000 MB\n"
      "[ 7063.2] [  4711]  1000  4711  2345678  1234567 18505728        0             0 ram: 8 GB\n"
      "[ 7063.3] Killed process 4711 (rss: 7 GB), UID 1000\n");

  EXPECT_EQ(result.log.readings, 1U);
  EXPECT_EQ(result.log.events.size(), 1U);
}

TEST(underscores, group_digits) {
  const Read result = read("step 1 rss: 5_552 MB\nstep 2 rss: 5_552_000 kB\n");

  ASSERT_FALSE(result.log.series.empty());
  EXPECT_EQ(result.log.series[0].samples[0].bytes, 5'552'000'000U);
  EXPECT_EQ(result.log.series[0].samples[1].bytes, 5'552'000'000U);
}

TEST(a_small_compressed_file, is_called_compressed) {
  const Read result = read(std::string("\x1F\x8B\x08\x00", 4) + "some text that is readable, as it may be");

  EXPECT_THAT(result.error, HasSubstr("compressed by gzip"));
}

}  // namespace
}  // namespace lowtide::ingest

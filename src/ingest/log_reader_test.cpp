#include "ingest/log_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <string>

#include "ingest/testing/collecting_sink.h"
#include "ingest/testing/read_text.h"

namespace lowtide::ingest {
namespace {

using testing::HasSubstr;

std::vector<double> steps_of(const Read& result, std::size_t series = 0) {
  std::vector<double> steps;
  for (const model::Sample& sample : result.log.series[series].samples) steps.push_back(sample.step);
  return steps;
}

// As people paste it: two runs of one job, with differences in brackets.
constexpr std::string_view kTwoRuns =
    "Run 1 (Process 177381):\n"
    "Step 10:  5,552 MB  (baseline)\n"
    "Step 20:  7,159 MB  (+1,607 MB)\n"
    "Step 30:  8,851 MB  (+1,692 MB)\n"
    "[Process restarted]\n"
    "\n"
    "Run 2 (Process 179532):\n"
    "Step 10:  5,434 MB  (baseline)\n"
    "Step 20:  7,017 MB  (+1,583 MB)\n"
    "Step 120: 17,694 MB  (0 MB)\n"
    "Step 130: 17,437 MB  (-257 MB)\n";

TEST(a_pasted_log, of_two_runs_gives_two_runs) {
  const Read result = read(kTwoRuns);

  ASSERT_EQ(result.log.runs.size(), 2U);
  EXPECT_EQ(result.log.runs[0].name, "Run 1 (Process 177381)");
  EXPECT_EQ(result.log.runs[1].name, "Run 2 (Process 179532)");
  ASSERT_EQ(result.log.series.size(), 2U);
  EXPECT_EQ(result.log.series[0].samples.size(), 3U);
  ASSERT_EQ(result.log.series[1].samples.size(), 4U);
  EXPECT_EQ(result.log.series[1].samples[3].bytes, 17'437'000'000U);
  EXPECT_EQ(result.log.events.size(), 1U);
}

TEST(steps_that_start_again, begin_a_run) {
  std::string text;
  int reading = 0;
  for (const int step : {10, 20, 30, 40, 10, 20, 30}) {
    text += fmt::format("step {} RAM: {} MB\n", step, ++reading < 5 ? 5000 : 4000);
  }

  const Read result = read(text);

  ASSERT_EQ(result.log.runs.size(), 2U);
  EXPECT_EQ(result.log.runs[1].first_line, 5U);
}

TEST(steps_that_start_again_while_the_memory_goes_on, begin_none) {
  std::string text;
  for (int step = 0; step < 60; ++step) {
    text += fmt::format("train step {} rss {} MB\n", step, 5000 + 3 * step);
    if (step % 20 == 19)
      text += fmt::format("val step 0 rss {0} MB\nval step 1 rss {0} MB\n", 5000 + 3 * step);
  }

  const Read result = read(text);

  EXPECT_EQ(result.log.runs.size(), 1U);
  EXPECT_THAT(result.warnings, HasSubstr("out of order"));
}

TEST(a_line_of_words_and_values, is_no_header_whatever_parts_them) {
  for (const char* line : {"step 12, loss 1.2, rss 5024 MB\n", "iter 12 | loss 2.1 | lr 3e-4 | mem 5024 MB\n",
                           "step 12; rss 5024 MB\n", "INFO epoch 1, step 12, memory 5024 MB\n"}) {
    const Read result = read(std::string(line) + line);

    ASSERT_EQ(result.log.series.size(), 1U) << line;
    EXPECT_EQ(result.log.series[0].samples[0].bytes, 5'024'000'000U) << line;
  }
}

TEST(a_decimal_comma, is_one_before_a_unit) {
  const Read result = read("step 1: RAM 5000,5 MB\nstep 2: RAM 5,002 MB\nstep 3: RAM 5004,25 MB\n");

  ASSERT_EQ(result.log.series.size(), 1U);
  EXPECT_EQ(result.log.series[0].samples[0].bytes, 5'000'500'000U);
  EXPECT_EQ(result.log.series[0].samples[1].bytes, 5'002'000'000U);
  EXPECT_EQ(result.log.series[0].samples[2].bytes, 5'004'250'000U);
}

TEST(one_step_out_of_order, begins_no_run) {
  std::string text;
  for (const int step : {10, 20, 30, 25, 40}) text += fmt::format("step {} RAM: 5000 MB\n", step);

  const Read result = read(text);

  EXPECT_EQ(result.log.runs.size(), 1U);
  EXPECT_THAT(result.warnings, HasSubstr("out of order"));
}

TEST(a_counter_that_restarts_every_epoch, is_made_to_grow) {
  std::string text;
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (const int step : {0, 10, 20})
      text += fmt::format("Epoch: {}, step: {}, RAM used: 14.45 GB\n", epoch, step);
  }

  const Read result = read(text);

  EXPECT_EQ(result.log.runs.size(), 1U);
  EXPECT_EQ(steps_of(result), (std::vector<double>{0, 10, 20, 30, 40, 50, 60, 70, 80}));
}

TEST(a_new_writer, begins_a_run_and_two_writers_do_not) {
  std::string after;
  std::string mixed;
  for (int i = 0; i < 20; ++i) {
    after += fmt::format("[a.py:9] [PID:{}] GPU memory while training: 21573 MB.\n", i < 10 ? 1 : 2);
    mixed += fmt::format("[a.py:9] [PID:{}] GPU memory while training: 21573 MB.\n", i % 2 + 1);
  }

  EXPECT_EQ(read(after).log.runs.size(), 2U);
  EXPECT_EQ(read(mixed).log.runs.size(), 1U);
  EXPECT_EQ(read(mixed).log.series.size(), 2U);
}

TEST(processes_in_one_listing, are_series_of_one_run) {
  const Read result = read(
      "  PID   RSS COMMAND\n 4711 5552000 python train.py\n 4712 100000 python worker.py\n"
      "  PID   RSS COMMAND\n 4711 5553000 python train.py\n 4712 100001 python worker.py\n");

  EXPECT_EQ(result.log.runs.size(), 1U);
  ASSERT_EQ(result.log.series.size(), 2U);
  EXPECT_EQ(result.log.series[0].info.name, "python (4711)");
  EXPECT_EQ(result.log.series[1].samples.back().bytes, 100001U * 1024U);
}

TEST(a_bar, rewrites_its_line_and_gives_its_step_to_the_dict_below) {
  const Read result = read(
      "  2%|2 | 10/663 [00:03<03:15,  3.34it/s]\r  2%|2 | 11/663 [00:03<03:15,  3.34it/s]\n"
      "{'loss': 0.6, 'epoch': 0.09, 'memory_allocated (GB)': 3.82}\n");

  ASSERT_EQ(result.log.readings, 1U);
  EXPECT_EQ(steps_of(result), (std::vector<double>{11}));
}

TEST(trainer_state_json, joins_the_members_of_each_object) {
  const Read result = read(
      "{\n  \"global_step\": 30,\n  \"log_history\": [\n    {\n      \"epoch\": 0.1,\n      "
      "\"memory_allocated (GB)\": 3.5,\n"
      "      \"step\": 10\n    },\n    {\n      \"epoch\": 0.2,\n      \"memory_allocated (GB)\": 3.7,\n     "
      " \"step\": 20\n"
      "    }\n  ]\n}\n");

  EXPECT_EQ(steps_of(result), (std::vector<double>{10, 20}));
}

TEST(a_json_array_on_one_line, is_read_object_by_object) {
  std::string text = "[";
  for (int i = 0; i < 100000; ++i)
    text += fmt::format(R"({}{{"step": {}, "rss_mb": {}}})", i == 0 ? "" : ", ", i, 5000 + i);
  text += "]";

  EXPECT_EQ(read(text).log.readings, 100000U);
}

TEST(gpus_of_one_tick, are_distinguished) {
  const Read result = read(
      "index, memory.used [MiB], memory.total [MiB]\n0, 4 MiB, 40960 MiB\n1, 5 MiB, 40960 MiB\n0, 6 MiB, "
      "40960 MiB\n");

  ASSERT_EQ(result.log.series.size(), 2U);
  EXPECT_EQ(result.log.series[0].info.gpu_index, 0);
  EXPECT_EQ(result.log.series[0].info.limit_bytes, 40960ULL << 20U);
}

TEST(bad_readings, are_ignored_with_a_warning) {
  const Read result = read(
      "step 1 RAM: nan MB\nstep 2 RAM: -5 MB\nstep 3 RAM: 1e999 MB\nstep 4 RAM: 5 MB\nstep 5 RAM: 0.5 GiB\n");

  EXPECT_EQ(result.log.readings, 2U);
  EXPECT_THAT(result.warnings, HasSubstr("not a number"));
  EXPECT_THAT(result.warnings, HasSubstr("below zero"));
  EXPECT_THAT(result.warnings, HasSubstr("exabyte"));
  EXPECT_THAT(result.warnings, HasSubstr("unit changes"));
}

TEST(time_that_goes_back, is_ignored_with_a_warning) {
  const Read result = read(
      "time,rss_mb\n2026-01-01 00:00:10,5\n2026-01-01 00:00:20,6\n2026-01-01 00:00:05,7\n2026-01-01 "
      "00:00:30,8\n");

  EXPECT_EQ(result.log.readings, 3U);
  EXPECT_THAT(result.warnings, HasSubstr("time goes back"));
}

TEST(a_unit_that_nobody_wrote, is_assumed_with_a_warning) {
  const Read result = read("step,rss\n1,5552000000\n2,5553000000\n");

  EXPECT_EQ(result.log.series[0].samples[0].bytes, 5552000000U);
  EXPECT_THAT(result.warnings, HasSubstr("\"rss\" has no unit: read as bytes"));
}

TEST(what_is_not_memory, is_not_read) {
  EXPECT_THAT(read("Downloading 500 MB\nModel size: 13 GB\nSaved checkpoint 5.2 GB\nThroughput 5 GB/s\n"
                   "Memory: 5.2 GB free\npeak RSS: 9 GB\nwarmup_steps=100\n")
                  .error,
              HasSubstr("no memory readings"));
}

TEST(an_input_that_is_no_log, is_refused_with_a_reason) {
  EXPECT_EQ(read("").error, "the file is empty");
  EXPECT_THAT(read("\n\n  \n").error, HasSubstr("blank lines"));
  EXPECT_THAT(read(std::string(1000, '\0')).error, HasSubstr("not text"));
  EXPECT_THAT(read("hello\nworld\n").error, HasSubstr("nvidia-smi"));
  CollectingSink recorder;
  EXPECT_THAT(read_log("/", recorder).error().message, HasSubstr("directory"));
  EXPECT_EQ(read_log("/does/not/exist", recorder).error().code, base::ErrorCode::Gone);
}

TEST(random_bytes, are_refused_and_text_in_another_code_is_not) {
  std::string random;
  unsigned state = 1;
  for (int i = 0; i < 100000; ++i) {
    state = state * 1664525U + 1013904223U;
    random += static_cast<char>(state >> 24U);
  }
  std::string latin;
  for (int step = 1; step < 100; ++step)
    latin += fmt::format(
        "Schritt \xFC"
        "ber \xE4 step {}: 5552 MB\n",
        step);

  EXPECT_THAT(read(random).error, HasSubstr("not text"));
  EXPECT_EQ(read(latin).error, "");
}

TEST(the_kernels_kb, is_1024_bytes_and_that_of_others_1000) {
  const Read kernel = read("VmRSS:\t  123456 kB\nVmRSS:\t  123460 kB\n");
  const Read other = read("step 1 RAM: 123456 kB\n");

  ASSERT_EQ(kernel.log.series.size(), 1U);
  EXPECT_EQ(kernel.log.series[0].samples[0].bytes, 123456U * 1024U);
  ASSERT_EQ(other.log.series.size(), 1U);
  EXPECT_EQ(other.log.series[0].samples[0].bytes, 123456U * 1000U);
}

TEST(the_pid_of_a_run, is_that_of_its_series) {
  const Read result = read("Run 1 (Process 177381):\nStep 1: 5,552 MB\nStep 2: 5,600 MB\n");

  ASSERT_EQ(result.log.series.size(), 1U);
  EXPECT_EQ(result.log.series[0].info.pid, 177381);
}

TEST(utf_16, is_decoded) {
  std::string text = "\xFF\xFE";
  for (const char c : std::string_view("step 1 RAM: 500 MB\r\nstep 2 RAM: 501 MB\r\n")) {
    text += c;
    text += '\0';
  }

  EXPECT_EQ(read(text).log.readings, 2U);
}

TEST(a_line_of_many_megabytes, is_cut_and_counted_as_one) {
  const std::string text = "step 1 RAM: 5 MB\n" + std::string(5'000'000, 'x') + "\nstep 2 RAM: 6 MB\n";

  const Read result = read(text);

  EXPECT_EQ(result.log.readings, 2U);
  EXPECT_EQ(result.summary.lines, 3U);
  EXPECT_EQ(result.log.series[0].lines.back(), 3U);
  EXPECT_THAT(result.warnings, HasSubstr("longer than 1 MiB"));
}

TEST(a_pipe, is_read_to_its_end) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  ASSERT_EQ(write(ends[1], kTwoRuns.data(), kTwoRuns.size()), static_cast<ssize_t>(kTwoRuns.size()));
  close(ends[1]);
  CollectingSink recorder;

  const auto summary = read_log(ends[0], recorder);
  close(ends[0]);

  ASSERT_TRUE(summary.ok());
  EXPECT_EQ(recorder.runs.size(), 2U);
}

TEST(the_last_line, counts_even_when_it_was_cut_off) {
  const Read result = read("Step 10: 5,552 MB\nStep 20: 7,159 MB\nStep 30: 8,851 MB");

  EXPECT_EQ(result.log.readings, 3U);
}

TEST(the_last_number, is_left_out_where_the_end_of_the_file_touches_it) {
  const Read result = read("step,rss_mb\n1,5552\n2,5553\n3,55");

  EXPECT_EQ(result.log.readings, 2U);
  EXPECT_THAT(result.warnings, HasSubstr("may have been cut"));
}

TEST(a_long_log, is_read_with_every_reading_in_order) {
  std::string text;
  for (int i = 0; i < 200000; ++i) text += fmt::format("Step {}:  {} MB\n", i, 5000 + i % 1000);

  const Read result = read(text);

  ASSERT_EQ(result.log.readings, 200000U);
  for (std::size_t i = 0; i < 200000; ++i) {
    ASSERT_EQ(result.log.series[0].samples[i].step, static_cast<double>(i));
    ASSERT_EQ(result.log.series[0].lines[i], i + 1);
  }
}

}  // namespace
}  // namespace lowtide::ingest

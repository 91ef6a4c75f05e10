// Known shapes and the search for words against the long way, which analyses every line.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>

#include "base/testing/effort.h"
#include "ingest/log_reader.h"
#include "ingest/testing/collecting_sink.h"

namespace lowtide::ingest {
namespace {

bool same(double left, double right) {
  return (std::isnan(left) && std::isnan(right)) || left == right;
}

void expect_same(const std::string& text) {
  CollectingSink fast;
  CollectingSink slow;
  const auto fast_summary = read_log_text(text, fast, {.use_shapes = true});
  const auto slow_summary = read_log_text(text, slow, {.use_shapes = false});
  ASSERT_EQ(fast_summary.ok(), slow_summary.ok());
  ASSERT_EQ(fast.runs.size(), slow.runs.size());
  ASSERT_EQ(fast.series.size(), slow.series.size());
  if (fast_summary.ok()) {
    const Summary& left = fast_summary.value();
    const Summary& right = slow_summary.value();
    EXPECT_EQ(left.lines, right.lines);
    EXPECT_EQ(left.readings, right.readings);
    EXPECT_EQ(left.formats, right.formats);
    EXPECT_EQ(left.started, right.started);
    ASSERT_EQ(left.warnings.size(), right.warnings.size());
    for (std::size_t i = 0; i < left.warnings.size(); ++i) {
      EXPECT_EQ(left.warnings[i].text, right.warnings[i].text);
      EXPECT_EQ(left.warnings[i].count, right.warnings[i].count);
    }
  }
  ASSERT_EQ(fast.events.size(), slow.events.size());
  for (std::size_t i = 0; i < fast.events.size(); ++i) {
    EXPECT_EQ(fast.events[i].text, slow.events[i].text);
    EXPECT_EQ(fast.events[i].line, slow.events[i].line);
  }
  for (std::size_t i = 0; i < fast.series.size(); ++i) {
    const RecordedSeries& left = fast.series[i];
    const RecordedSeries& right = slow.series[i];
    EXPECT_EQ(left.info.name, right.info.name);
    ASSERT_EQ(left.lines, right.lines) << left.info.name;
    for (std::size_t k = 0; k < left.samples.size(); ++k) {
      ASSERT_EQ(left.samples[k].bytes, right.samples[k].bytes) << "line " << left.lines[k];
      ASSERT_TRUE(same(left.samples[k].step, right.samples[k].step)) << "line " << left.lines[k];
      ASSERT_TRUE(same(left.samples[k].at_s, right.samples[k].at_s)) << "line " << left.lines[k];
    }
  }
}

// Told in one line, or in several.
constexpr const char* kMishaps[] = {
    "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB\n(GPU 0; 15.78 GiB total capacity;\n"
    "14.00 GiB already allocated; 1.00 GiB free; 14.20 GiB reserved in total by PyTorch)\n",
    "[12345.678] python invoked oom-killer: gfp_mask=0xcc0, order=0, oom_score_adj=0\n",
    "[12345.679] Out of memory: Killed process 4711 (python) total-vm:9000000kB, anon-rss:8000000kB, "
    "file-rss:0kB, shmem-rss:64kB\n",
    "[12345.680] oom_reaper: reaped process 4711 (python), now anon-rss:0kB\n",
    "Killed\n",
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20 MiB.\n",
};

// Lines that a run has many of, among those that change how they are to be taken.
std::string some_log(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
  std::string text;
  unsigned step = 1;
  unsigned second = 0;
  const unsigned kinds = 1U + below(14);
  for (int i = 0; i < base::effort(400, 80); ++i) {
    step += below(3);
    second += below(2);
    const std::string clock =
        fmt::format("{:02}:{:02}:{:02}", second / 3600 % 24, second / 60 % 60, second % 60);
    const unsigned memory = 900 + below(20000);
    switch (below(kinds)) {
      case 0:
        text += fmt::format("Step {}:  {} MB\n", step, memory);
        break;
      case 1:
        text += fmt::format("2026-05-18 {},{:03} - INFO - step: {} RAM: {}.{} MB\n", clock, below(1000), step,
                            memory, below(1000));
        break;
      case 2:
        text +=
            fmt::format("step {} RSS {},{:03} MB GPU {}.5 GB\n", step, 1 + below(99), below(1000), below(80));
        break;
      case 3:
        text += fmt::format("Epoch {}\n", 1 + i / 60);
        break;
      case 4:
        if (below(8) == 0) step = 1;
        text += fmt::format("Step {}: {} MB\n", step, memory);
        break;
      case 5:
        text += fmt::format("RAM: {} GB\n", 0.001 * memory);
        break;
      case 6:
        text += fmt::format("[{}] iteration {}/ 1000 | memory usage {} MiB of {} MiB\n", clock, step, memory,
                            65536);
        break;
      case 7:
        text += fmt::format("2026-05-18T{}Z step {} rss=-{}MB\n", clock, step, memory);
        break;
      case 8:
        if (below(20) == 0) text += "[Process restarted]\n";
        break;
      case 9:
        text +=
            fmt::format("INFO loading shard {} from bucket {}\n", below(100000), std::string(below(60), 'w'));
        break;
      case 10:
        if (below(20) == 0) text += "time,step,rss,loss\n";
        text += fmt::format("{}.{},{},{},{}\n", second, below(100), step, memory * 100000ULL, below(9));
        break;
      case 11:
        if (below(4) == 0) text += kMishaps[below(std::size(kMishaps))];
        break;
      default:
        if (below(10) == 0) second = below(second + 1);
        text += fmt::format("[rank{}] step {} RAM: {} MB\n", below(2), step, memory);
    }
  }
  return text;
}

TEST(the_short_ways, give_what_the_long_way_gives) {
  for (unsigned seed = 1; seed <= base::effort(200U, 3U); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    expect_same(some_log(seed));
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

// What a cluster leaves behind: lines that never come again beside some that do, bars that end in '\r',
// colours, and lines longer than a shape can be.
std::string training_log(unsigned seed) {
  static constexpr const char* kWords[] = {"loading", "shard", "writer", "used",    "the",      "iterator",
                                           "gpu",     "batch", "run",    "rss",     "resolved", "5 MB",
                                           "res",     "step",  "epoch",  "process", "kib",      "trainStep"};
  std::mt19937 random(seed);
  const auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
  std::string text;
  for (unsigned i = 1; i < base::effort(300U, 60U); ++i) {
    switch (below(7)) {
      case 0:
        text +=
            fmt::format("  {}%|#   | {}/900 [00:{:02}<10:00,  1.{:02}it/s]\r", i / 9, i, i % 60, below(100));
        break;
      case 1:
        text += fmt::format("2026-05-18 16:04:{:02} | memory | step {} | rss {}.5 MB\n", i % 60, i,
                            5000 + below(9000));
        break;
      case 2:
        text += fmt::format("\x1b[32mINFO\x1b[0m step {} RAM: {} MB\n", i, 5000 + below(9000));
        break;
      case 3:
        text += std::string(1000 + below(60), 'x') + fmt::format(" rss {} MB\n", 5000 + below(9000));
        break;
      case 4:
        text += fmt::format("2026-05-18 16:04:{:02} | trainer | tokens/s {} | mfu 0.{}\r\n", i % 60,
                            10000 + below(80000), 100 + below(900));
        break;
      default:
        text += fmt::format("2026-05-18 16:04:{:02} | ", i % 60);
        for (unsigned k = 1 + below(12); k > 0; --k) text += fmt::format("{} ", kWords[below(18)]);
        text += fmt::format("{}\n", below(1000));
    }
  }
  return text;
}

TEST(the_short_ways, give_what_the_long_way_gives_for_a_training_log) {
  for (unsigned seed = 1; seed <= base::effort(60U, 1U); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    expect_same(training_log(seed));
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

TEST(an_epoch_told_in_a_line_of_its_own, counts_for_the_short_way_too) {
  std::string text;
  for (int epoch = 1; epoch <= 6; ++epoch) {
    text += fmt::format("Epoch {}\n", epoch);
    const int first = epoch % 3 == 0 ? 1 : 10 * epoch;
    for (int step = first; step < first + 10; ++step)
      text += fmt::format("Step {}: {} MB\n", step, 5000 + step);
  }

  expect_same(text);
}

}  // namespace
}  // namespace lowtide::ingest

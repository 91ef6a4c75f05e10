// The monitor judges its own recording while the job runs. What this takes is memory of the machine on which
// the job runs, so it must not grow with the length of the run.
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>

#include "base/testing/effort.h"
#include "explain/report.h"
#include "record/reader.h"
#include "record/test_ticks.h"

namespace lowtide::explain {
namespace {

constexpr std::uint32_t kProcesses = 64;
constexpr int kSeconds = 24 * 3600;
constexpr int kSparseSeconds = kSeconds - 2 * 3600;  // older readings are kept as stretches of 8 s or more
constexpr long kMostGrowthKb = 20'000;

long peak_kb() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss;
}

void write_long_run(const std::string& path) {
  record::Writer writer = record::make_writer(path, kProcesses);
  model::Tick tick = record::make_tick(0, kProcesses);
  tick.gpu_processes.clear();
  std::uint32_t noise = 1;
  for (int at = 0; at < kSeconds; at += at < kSparseSeconds ? 8 : 1) {
    tick.at_s = at;
    tick.step = at;
    for (model::ProcessReading& process : tick.processes) {
      noise = noise * 1'664'525U + 1'013'904'223U;
      process.own_bytes = 4'000'000'000U + noise / 64 + static_cast<std::uint64_t>(at) * 1'000;
    }
    tick.target.bytes = 256'000'000'000U + noise / 64 + static_cast<std::uint64_t>(at) * 64'000;
    writer.add(tick);
    if (at % 64 == 0) writer.commit();
  }
  writer.close();
}

// Forked before the recording is written: memory that the writer has freed would hide what the judge takes.
long growth_in_child(int ready, const std::string& path) {
  char byte = 0;
  if (::read(ready, &byte, 1) != 1) return -1;
  const long before_kb = peak_kb();
  auto recording = record::Recording::open(path);
  if (!recording.ok()) return -1;
  const model::Report report = make_report(recording.value(), {path, std::nullopt, std::nullopt});
  return report.source.duration_s > kSparseSeconds ? peak_kb() - before_kb : -1;
}

TEST(LongRun, judging_a_day_with_64_processes_takes_less_than_20_megabytes) {
  if (base::kIsSlowBuild) GTEST_SKIP() << "a sanitizer takes memory of its own";
  const record::TemporaryFolder folder;
  const std::string path = folder.path("run.db");
  std::array<int, 2> ready{};
  std::array<int, 2> answer{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  ASSERT_EQ(::pipe(answer.data()), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const long growth_kb = growth_in_child(ready[0], path);
    ::_exit(::write(answer[1], &growth_kb, sizeof growth_kb) == sizeof growth_kb ? 0 : 1);
  }

  write_long_run(path);
  ASSERT_EQ(::write(ready[1], "x", 1), 1);
  long growth_kb = -1;
  ASSERT_EQ(::read(answer[0], &growth_kb, sizeof growth_kb), static_cast<ssize_t>(sizeof growth_kb));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);

  RecordProperty("growth_kb", std::to_string(growth_kb));
  EXPECT_GT(growth_kb, 0);
  EXPECT_LT(growth_kb, kMostGrowthKb);
}

}  // namespace
}  // namespace lowtide::explain

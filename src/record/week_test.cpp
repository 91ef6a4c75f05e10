// A week at one tick a second with 50 processes, as fast as the machine can. Of what is
// older than two hours a row is a stretch of 8 seconds or more, so only the last half day
// has every tick, and what comes before one in 8 s: as many rows, in a quarter of the time.
// LOWTIDE_WHOLE_WEEK=1 writes all of them.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "record/reader.h"
#include "record/test_ticks.h"

namespace lowtide::record {
namespace {

constexpr std::uint32_t kProcesses = 50;
constexpr int kWeekSeconds = 7 * 24 * 3600;
constexpr int kSparseSeconds = kWeekSeconds - 12 * 3600;
constexpr std::uintmax_t kMostBytes = 64'000'000;

std::uintmax_t folder_bytes(const TemporaryFolder& folder) {
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.folder())) {
    bytes += entry.file_size();
  }
  return bytes;
}

// A thousand times faster than a real run, the writer outruns the thread that moves the
// log over, the more so where the disk is busy. At one tick a second it is done within a
// tick, and the log stays at its limit.
constexpr std::uintmax_t kLogBytes = 4U << 20U;

TEST(Week, stays_under_64_megabytes_and_keeps_lowest_and_highest_of_every_series) {
  const TemporaryFolder folder;
  Writer writer = make_writer(folder.path("run.db"), kProcesses);
  model::Tick tick = make_tick(0, kProcesses);
  std::uint64_t low = ~0ULL;
  std::uint64_t high = 0;
  std::uintmax_t biggest = 0;
  std::uint32_t noise = 1;
  std::uint64_t ticks = 0;
  const int sparse = std::getenv("LOWTIDE_WHOLE_WEEK") != nullptr ? 1 : 8;
  int committed = 0;
  for (int at = 0; at < kWeekSeconds; at += at < kSparseSeconds ? sparse : 1) {
    ++ticks;
    tick.at_s = at * 1.0003;
    tick.step = at;
    noise = noise * 1'664'525U + 1'013'904'223U;
    for (auto& process : tick.processes) {
      // Numbers as long as those of a real job; small ones would take less room.
      process.own_bytes = 4'000'000'000U + noise;
      process.rss_bytes = 5'000'000'000U + noise;
      process.anon_bytes = 4'500'000'000U + noise;
      process.file_bytes = noise;
      process.shmem_bytes = noise / 2;
      process.pss = model::PssReading{5'000'000'000U + noise, 4'000'000'000U + noise, noise, noise,
                                      4'100'000'000U + noise, 4'200'000'000U + noise};
    }
    tick.target.bytes = 200'000'000'000U + noise;
    low = std::min(low, tick.target.bytes);
    high = std::max(high, tick.target.bytes);
    writer.add(tick);
    if (at - committed >= 8) {  // the monitor does so at every tick
      writer.commit();
      committed = at;
      biggest = std::max(biggest, std::filesystem::file_size(folder.path("run.db")) + kLogBytes);
    }
  }
  writer.commit();
  writer.close();
  biggest = std::max(biggest, folder_bytes(folder));
  RecordProperty("bytes", std::to_string(folder_bytes(folder)));
  std::printf("biggest %.1f MB, closed %.1f MB\n", static_cast<double>(biggest) / 1e6,
              static_cast<double>(folder_bytes(folder)) / 1e6);

  EXPECT_EQ(writer.lost_ticks(), 0U);
  EXPECT_LT(biggest, kMostBytes);
  auto opened = Recording::open(folder.path("run.db"));
  ASSERT_TRUE(opened.ok());
  std::uint64_t count = 0;
  std::uint64_t seen_low = ~0ULL;
  std::uint64_t seen_high = 0;
  opened.value().for_each_target([&](const TargetPoint& point) {
    count += point.count;
    seen_low = std::min(seen_low, point.low_bytes);
    seen_high = std::max(seen_high, point.high_bytes);
  });
  EXPECT_EQ(count, ticks);
  EXPECT_EQ(seen_low, low);
  EXPECT_EQ(seen_high, high);
  std::map<model::ProcessId, std::uint64_t> readings;
  opened.value().for_each_process_point(
      [&](const ProcessPoint& point) { readings[point.last.id] += point.count; });
  EXPECT_EQ(readings.size(), kProcesses);
  EXPECT_THAT(readings, testing::Each(testing::Pair(testing::_, ticks)));
  EXPECT_THAT(opened.value().warnings(), testing::IsEmpty());
}

}  // namespace
}  // namespace lowtide::record

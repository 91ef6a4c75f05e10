#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "record/reader.h"
#include "record/test_ticks.h"

namespace lowtide::record {
namespace {

struct Extent {
  std::uint64_t low = ~0ULL;
  std::uint64_t high = 0;
  std::uint64_t count = 0;
  std::uint64_t points = 0;
  double end_s = -1;
};

void extend(Extent& extent, const Point& point) {
  EXPECT_GT(point.at_s, extent.end_s) << "points overlap or go back";
  extent.end_s = point.at_s + point.span_s;
  extent.low = std::min(extent.low, point.low_bytes);
  extent.high = std::max(extent.high, point.high_bytes);
  extent.count += point.count;
  ++extent.points;
}

TEST(Retention, thinning_keeps_every_reading_in_one_stretch_and_the_extremes) {
  const TemporaryFolder folder;
  Writer writer = make_writer(folder.path("run.db"), 2);
  // One commit per 20 ticks, because only the content matters here.
  for (int at_s = 0; at_s < 20'000; ++at_s) {
    const std::uint64_t extra = at_s == 77 ? 9'000'000'000U : at_s == 8'000 ? 1U : 500U;
    writer.add(make_tick(at_s, 2, extra));
    if (at_s % 20 == 0) {
      writer.commit();
    }
  }
  writer.close();

  auto opened = Recording::open(folder.path("run.db"));
  ASSERT_TRUE(opened.ok());
  std::map<model::ProcessId, Extent> processes;
  opened.value().for_each_process_point(
      [&](const ProcessPoint& point) { extend(processes[point.last.id], point); });
  Extent target;
  opened.value().for_each_target([&](const TargetPoint& point) { extend(target, point); });

  const Extent& first = processes[static_cast<model::ProcessId>(1)];
  EXPECT_EQ(first.count, 20'000U);
  EXPECT_EQ(first.low, 1'000'000'001U);
  EXPECT_EQ(first.high, 10'000'000'000U);
  EXPECT_LT(first.points, 4'000U);
  EXPECT_EQ(target.count, 20'000U);
  EXPECT_EQ(target.low, 3'000'000'002U);
  EXPECT_EQ(target.high, 21'000'000'000U);
}

TEST(Retention, ten_thousand_short_lived_processes_stay_small) {
  const TemporaryFolder folder;
  Writer writer = make_writer(folder.path("run.db"), 1);
  for (std::uint32_t id = 2; id < 10'002; ++id) {
    model::Tick tick = make_tick(id, 1);
    model::ProcessInfo info = make_process(id);
    info.started_s = id;
    info.ended_s = id + 1;
    writer.begin_process(info);
    tick.processes.push_back({.id = info.id, .own_bytes = id, .pss = {}});
    writer.add(tick);
    if (id % 10 == 0) {
      writer.commit();
    }
  }
  writer.close();

  EXPECT_LT(std::filesystem::file_size(folder.path("run.db")), 8'000'000U);
  auto opened = Recording::open(folder.path("run.db"));
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(opened.value().processes().size(), 10'001U);
  std::map<model::ProcessId, std::uint64_t> highest;
  opened.value().for_each_process_point(
      [&](const ProcessPoint& point) { highest[point.last.id] = point.high_bytes; });
  EXPECT_EQ(highest.size(), 10'001U);
  EXPECT_EQ(highest[static_cast<model::ProcessId>(5)], 5U);
}

TEST(Retention, of_too_many_processes_the_short_lived_are_forgotten_and_it_is_said) {
  const TemporaryFolder folder;
  Writer writer = make_writer(folder.path("run.db"), 1);
  for (std::uint32_t id = 2; id < 25'000; ++id) {
    model::ProcessInfo info = make_process(id);
    info.started_s = 0;
    info.ended_s = id == 2 ? 5000 : 1;
    writer.begin_process(info);
  }
  for (int at_s = 0; at_s < 100; ++at_s) {
    writer.add(make_tick(at_s, 1));
    writer.commit();
  }
  writer.close();

  auto opened = Recording::open(folder.path("run.db"));
  ASSERT_TRUE(opened.ok());
  const auto processes = opened.value().processes();
  EXPECT_LE(processes.size(), 20'000U);
  EXPECT_EQ(processes[1].id, static_cast<model::ProcessId>(2));
  EXPECT_TRUE(opened.value().meta().contains("forgotten_processes"));
}

}  // namespace
}  // namespace lowtide::record

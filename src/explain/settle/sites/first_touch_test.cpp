#include "explain/settle/sites/first_touch.h"

#include <gtest/gtest.h>

#include "explain/settle/growth.h"
#include "explain/settle/sites/site_rules.h"

namespace lowtide::explain {
namespace {

constexpr double kMB = 1e6;

// A process that allocated 300 MB before the first reading and grows by 2 MB per second for 100 s.
class WritingJob {
 public:
  WritingJob() {
    for (int at_s = 0; at_s <= 100; ++at_s) {
      SeriesPoint point;
      point.at_s = at_s;
      point.low_bytes = point.high_bytes = megabytes(30 + 2 * at_s);
      point.writable_bytes = megabytes(400);
      process.series.push_back(point);
      point.low_bytes = point.high_bytes = megabytes(300);
      agent.live.push_back(point);
    }
    evidence.target = process.series;
    set_windows(evidence);
    process.there_late = agent.there_late = true;
    agent.early = evidence.early;
    block.info.frames = {{.function = "calloc"},
                         {.language = model::FrameLanguage::Python, .file = "/job/train.py"}};
    sites.groups.emplace_back();
    SiteGroup& group = sites.groups.back();
    group.members = {&block};
    group.live = agent.live;
    group.live_bytes = 300'000'000;
    group.live_samples = 1;
  }

  static std::uint64_t megabytes(int count) { return static_cast<std::uint64_t>(count) * 1'000'000; }

  [[nodiscard]] HeapGrowth growth() const { return heap_growth(process, agent, sites, evidence); }

  Evidence evidence;
  SiteEvidence block;
  Sites sites;
  WatchedProcess process;
  AgentProcess agent;
};

TEST(FirstTouch, is_proven_where_more_was_alive_than_resident_and_nothing_was_mapped) {
  const WritingJob job;
  const HeapGrowth growth = job.growth();

  EXPECT_GT(growth.gained_bytes, 100 * kMB);
  EXPECT_NEAR(growth.touched.bytes, growth.gained_bytes, kMB);
  EXPECT_EQ(growth.retained_bytes, 0);
  EXPECT_NEAR(growth.touched.left_bytes, 300 * kMB - growth.touched.bytes, kMB);
}

TEST(FirstTouch, memory_that_was_mapped_meanwhile_is_not_first_written) {
  WritingJob job;
  for (SeriesPoint& point : job.process.series)
    point.writable_bytes += 2 * static_cast<std::uint64_t>(point.at_s * kMB);
  job.agent.freed_bytes = 1000 * kMB;
  const HeapGrowth growth = job.growth();

  EXPECT_LT(growth.touched.bytes, kMB);
  EXPECT_NEAR(growth.retained_bytes, growth.gained_bytes, kMB) << "an allocator keeps it";
}

TEST(FirstTouch, is_not_proven_where_all_that_is_alive_was_resident) {
  WritingJob job;
  for (SeriesPoint& point : job.agent.live) point.low_bytes = point.high_bytes = WritingJob::megabytes(20);

  EXPECT_EQ(job.growth().touched.bytes, 0);
}

TEST(FirstTouch, arena_of_a_library_is_filled_with_new_objects) {
  WritingJob job;
  job.block.info.frames = {{.function = "mmap"},
                           {.function = "mi_arena", .module = "/venv/site-packages/pyarrow/libarrow.so"}};

  EXPECT_EQ(job.growth().touched.bytes, 0);
}

TEST(FirstTouch, is_no_argument_where_nothing_grew) {
  WritingJob job;
  for (SeriesPoint& point : job.process.series)
    point.low_bytes = point.high_bytes = WritingJob::megabytes(300);
  job.sites.processes.push_back(job.agent);

  EXPECT_FALSE(growth_is_first_touch(job.process, job.sites, job.evidence));
}

TEST(FirstTouch, pages_that_are_shared_since_the_fork_are_not_unwritten) {
  WritingJob job;
  for (SeriesPoint& point : job.process.series) point.held_bytes = WritingJob::megabytes(310);

  EXPECT_EQ(job.growth().touched.bytes, 0);
}

TEST(FirstTouch, is_not_known_of_a_recording_without_the_count_of_writable_memory) {
  WritingJob job;
  for (SeriesPoint& point : job.process.series) point.writable_bytes = 0;

  EXPECT_EQ(job.growth().touched.bytes, 0);
}

TEST(FirstTouch, an_allocator_keeps_no_more_than_what_was_freed) {
  WritingJob job;
  for (SeriesPoint& point : job.process.series) point.writable_bytes = 0;

  EXPECT_EQ(job.growth().retained_bytes, 0) << "nothing was freed";
  job.agent.freed_bytes = 500 * kMB;
  EXPECT_GT(job.growth().retained_bytes, 100 * kMB);
}

}  // namespace
}  // namespace lowtide::explain

#include "record/writer.h"

#include <gmock/gmock.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "base/fd.h"
#include "record/reader.h"
#include "record/test_ticks.h"

namespace lowtide::record {
namespace {

using testing::HasSubstr;

Recording reopened(const std::string& path) {
  auto opened = Recording::open(path);
  EXPECT_TRUE(opened.ok()) << (opened.ok() ? "" : opened.error().message);
  return std::move(opened).value();
}

// While it lives no file may grow beyond so many bytes: a full disk for everybody.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  FullDisk(FullDisk&&) = delete;
  FullDisk& operator=(FullDisk&&) = delete;
  ~FullDisk() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

// What has happened under a name of a folder, in its order: IN_CREATE, IN_MOVED_TO and so on.
std::vector<std::uint32_t> events_of(int watch, std::string_view name) {
  std::array<char, 65536> buffer{};
  const ssize_t bytes = ::read(watch, buffer.data(), buffer.size());
  std::vector<std::uint32_t> masks;
  for (ssize_t at = 0; at < bytes;) {
    inotify_event event{};
    std::memcpy(&event, buffer.data() + at, sizeof(event));
    if (event.len > 0 && name == buffer.data() + at + sizeof(event)) masks.push_back(event.mask);
    at += static_cast<ssize_t>(sizeof(event) + event.len);
  }
  return masks;
}

TEST(Writer, recording_has_its_tables_when_its_name_is_there) {
  const TemporaryFolder folder;
  const base::Fd watch(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  ASSERT_GE(::inotify_add_watch(watch.get(), folder.path("").c_str(), IN_CREATE | IN_MOVED_TO), 0);

  const Writer writer = make_writer(folder.path("run.db"), 1);

  // An empty file that somebody has opened in time would cost the log of the recording, and so what it holds.
  EXPECT_THAT(events_of(watch.get(), "run.db"), testing::ElementsAre(IN_MOVED_TO));
}

TEST(Writer, file_that_comes_first_is_left_as_it_is) {
  const TemporaryFolder folder;
  const std::string path = folder.path("run.db");
  std::ofstream(path) << "weights";

  const auto made = Writer::create(path, {});

  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, base::ErrorCode::Denied);
  EXPECT_EQ(std::filesystem::file_size(path), 7U);
  const std::filesystem::directory_iterator files(folder.path(""));
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST(Writer, what_was_written_is_read_back) {
  const TemporaryFolder folder;
  const std::string path = folder.path("run.db");
  Writer writer = make_writer(path, 2);
  writer.add(make_tick(1, 2));
  writer.add_event({.kind = model::EventKind::OomKill, .at_s = 1.5, .text = "killed\nby \x1b[31mkernel"},
                   static_cast<model::ProcessId>(2));
  model::ProcessInfo ended = make_process(2);
  ended.ended_s = 1.5;
  ended.exit_status = 137;
  ended.continues = static_cast<model::ProcessId>(1);
  writer.update_process(ended);
  writer.set_meta<Meta::AgentNote>("hello");

  writer.close();

  Recording recording = reopened(path);
  EXPECT_TRUE(recording.closed_cleanly());
  EXPECT_EQ(recording.header().command, "python train.py");
  EXPECT_EQ(recording.header().limit_bytes, 64ULL << 30U);
  EXPECT_EQ(recording.header().started_unix_s, 1767323045.25);
  EXPECT_EQ(recording.header().interval_s, 0.5);
  EXPECT_TRUE(recording.header().attached);
  EXPECT_EQ(recording.meta<Meta::AgentNote>(), "hello");
  EXPECT_EQ(recording.last_at_s(), 1);
  const auto processes = recording.processes();
  ASSERT_EQ(processes.size(), 2U);
  EXPECT_EQ(processes[1].exit_status, 137);
  EXPECT_EQ(processes[1].continues, static_cast<model::ProcessId>(1));
  EXPECT_EQ(processes[1].role, model::ProcessRole::Worker);
  const auto events = recording.events();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].event.kind, model::EventKind::OomKill);
  EXPECT_EQ(events[0].process, static_cast<model::ProcessId>(2));
  EXPECT_EQ(events[0].event.text.find('\x1b'), std::string::npos);
  EXPECT_THAT(recording.warnings(), testing::IsEmpty());
}

TEST(Writer, python_files_are_read_back_with_their_indentation) {
  const TemporaryFolder folder;
  Writer writer = make_writer(folder.path("run.db"), 1);
  const std::string text = "def keep():\n\tkept.append(1)\r\n";
  writer.add_source({"/job/train.py", text});
  writer.add_source({"/job/data.py", ""});
  writer.add_library({"pyarrow", "17.0.0"});
  writer.commit();

  Recording recording = reopened(folder.path("run.db"));

  EXPECT_EQ(recording.source_text("/job/train.py"), text);
  EXPECT_EQ(recording.source_text("/job/data.py"), "");
  EXPECT_EQ(recording.source_text("/job/other.py"), std::nullopt);
  ASSERT_EQ(recording.libraries().size(), 1U);
  EXPECT_EQ(recording.libraries()[0].version, "17.0.0");
}

TEST(Writer, every_reading_of_a_tick_is_read_back) {
  const TemporaryFolder folder;
  Writer writer = make_writer(folder.path("run.db"), 2);
  writer.add(make_tick(1.25, 2));
  writer.commit();

  Recording recording = reopened(folder.path("run.db"));

  int points = 0;
  recording.for_each_target([&](const TargetPoint& point) {
    ++points;
    EXPECT_EQ(point.at_s, 1.25);
    EXPECT_EQ(point.step, 12.5);
    EXPECT_EQ(point.low_bytes, 3'000'000'000U);
    EXPECT_EQ(point.last.rss_bytes, 7U);
    EXPECT_TRUE(point.last.exact);
  });
  recording.for_each_process_point(static_cast<model::ProcessId>(2), [&](const ProcessPoint& point) {
    ++points;
    EXPECT_EQ(point.high_bytes, 2'000'000'000U);
    EXPECT_EQ(point.last.swap_bytes, 4U);
    ASSERT_TRUE(point.last.pss);
    EXPECT_EQ(point.last.pss->uss_bytes, 15U);
  });
  recording.for_each_cgroup([&](const CgroupPoint& point) {
    ++points;
    EXPECT_EQ(point.low_bytes, 20U);
    EXPECT_EQ(point.last.limit_bytes, 25U);
    EXPECT_EQ(point.last.oom_kills, 26U);
  });
  recording.for_each_host([&](const HostPoint& point) {
    ++points;
    EXPECT_EQ(point.low_bytes, 31U);
    EXPECT_EQ(point.last.total_bytes, 30U);
    EXPECT_EQ(point.last.pressure_percent, 12.5);
  });
  recording.for_each_gpu([&](const GpuPoint& point) {
    ++points;
    EXPECT_EQ(point.high_bytes, 40U);
  });
  recording.for_each_gpu_process([&](const GpuProcessPoint& point) {
    ++points;
    EXPECT_EQ(point.low_bytes, 500U + static_cast<std::uint32_t>(point.last.id));
  });
  EXPECT_EQ(points, 7);
  EXPECT_FALSE(recording.closed_cleanly());
}

TEST(Writer, a_judgement_is_read_back_with_its_forecast) {
  const TemporaryFolder folder;
  Writer writer = make_writer(folder.path("run.db"), 1);
  model::Judgement judgement;
  judgement.at_s = 60;
  judgement.verdict.kind = model::VerdictKind::Inconclusive;
  judgement.verdict.confidence = 0.75;
  judgement.verdict.axis = model::Axis::Step;
  judgement.verdict.rate = model::Rate{100, 90, 110};
  judgement.verdict.floor = {5, 6};
  judgement.verdict.warmup_end = model::Mark{.step = 4.0, .at_s = {}};
  judgement.verdict.lean = model::Lean{model::VerdictKind::Leak, 0.7};
  judgement.verdict.reason = "the floor rises";
  judgement.verdict.needs = model::Needs{model::NeedsKind::MoreSteps, 100};
  judgement.verdict.basis = {"series", "sites"};
  judgement.forecast = model::Forecast{
      model::LimitKind::Cgroup, 1000, {}, model::Range{50, 40, std::numeric_limits<double>::infinity()}};
  writer.add_judgement(judgement);
  writer.close();

  Recording recording = reopened(folder.path("run.db"));
  const auto read = recording.judgements();

  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].verdict.lean->kind, model::VerdictKind::Leak);
  EXPECT_EQ(read[0].verdict.rate->high, 110);
  EXPECT_EQ(model::needs_words(read[0].verdict.needs.value()), "about 100 more steps");
  EXPECT_EQ(read[0].verdict.basis, (std::vector<std::string>{"series", "sites"}));
  EXPECT_EQ(read[0].verdict.warmup_end->step, 4.0);
  ASSERT_TRUE(read[0].forecast);
  EXPECT_EQ(read[0].forecast->limit, model::LimitKind::Cgroup);
  EXPECT_FALSE(read[0].forecast->step);
  EXPECT_EQ(read[0].forecast->seconds->low, 40);
  EXPECT_TRUE(std::isinf(read[0].forecast->seconds->high));
}

TEST(Writer, a_file_that_exists_is_not_touched) {
  const TemporaryFolder folder;
  std::ofstream(folder.path("thesis.txt")) << "words";

  const auto made = Writer::create(folder.path("thesis.txt"), make_header());

  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().message, HasSubstr("exists"));
  EXPECT_EQ(std::filesystem::file_size(folder.path("thesis.txt")), 5U);
}

TEST(Writer, a_folder_that_is_not_there_is_an_error) {
  const auto made = Writer::create("/nowhere/at/all/run.db", make_header());

  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, base::ErrorCode::Gone);
}

TEST(Writer, a_disk_full_from_the_start_leaves_nothing_behind) {
  const TemporaryFolder folder;
  const FullDisk full(8192);

  const auto made = Writer::create(folder.path("run.db"), make_header());

  ASSERT_FALSE(made.ok());
  EXPECT_TRUE(std::filesystem::is_empty(folder.folder()));
}

TEST(Writer, a_full_disk_costs_ticks_and_is_put_on_record_when_there_is_room_again) {
  const TemporaryFolder folder;
  const std::string path = folder.path("run.db");
  Writer writer = make_writer(path, 3);
  int at_s = 0;
  {
    const FullDisk full(1'000'000);
    for (; at_s < 2000; ++at_s) {
      writer.add(make_tick(at_s, 3, at_s == 1990 ? 77'000'000'000U : 0));
      writer.commit();
    }
    ASSERT_NE(writer.failure(), nullptr);
    EXPECT_THAT(writer.failure()->message, HasSubstr(path));
    EXPECT_GT(writer.lost_ticks(), 0U);
    writer.begin_process(make_process(9));
    writer.commit();
  }
  const std::uint64_t lost_when_full = writer.lost_ticks();

  for (; at_s < 2200; ++at_s) {
    writer.add(make_tick(at_s, 3));
    writer.commit();
  }

  EXPECT_EQ(writer.failure(), nullptr);
  EXPECT_LT(writer.lost_ticks(), lost_when_full + 61);
  const std::uint64_t lost = writer.lost_ticks();
  writer.close();
  Recording recording = reopened(path);
  EXPECT_EQ(recording.lost_ticks(), lost);
  const auto outages = recording.outages();
  ASSERT_FALSE(outages.empty());
  EXPECT_FALSE(outages[0].why.empty());
  std::uint64_t points = 0;
  recording.for_each_target([&](const TargetPoint& point) { points += point.count; });
  EXPECT_EQ(points + lost, 2200U);
  EXPECT_EQ(recording.processes().size(), 4U);
}

TEST(Writer, a_full_disk_at_the_end_does_not_harm_what_was_committed) {
  const TemporaryFolder folder;
  const std::string path = folder.path("run.db");
  Writer writer = make_writer(path, 3);
  std::uint64_t kept = 0;
  {
    const FullDisk full(700'000);
    for (int at_s = 0; at_s < 1000; ++at_s) {
      writer.add(make_tick(at_s, 3));
      writer.commit();
    }
    kept = 1000 - writer.lost_ticks();
    writer.close();
  }

  Recording recording = reopened(path);

  std::uint64_t points = 0;
  recording.for_each_target([&](const TargetPoint& point) { points += point.count; });
  EXPECT_EQ(points, kept);
}

TEST(Writer, a_tick_without_a_time_is_lost_and_counted) {
  const TemporaryFolder folder;
  Writer writer = make_writer(folder.path("run.db"), 1);

  writer.add(make_tick(std::numeric_limits<double>::quiet_NaN(), 1));
  writer.commit();

  EXPECT_EQ(writer.lost_ticks(), 1U);
}

TEST(Writer, a_closed_recording_is_a_single_file) {
  const TemporaryFolder folder;
  Writer writer = make_writer(folder.path("run.db"), 1);
  writer.add(make_tick(1, 1));

  writer.close();

  const auto entries = std::distance(std::filesystem::directory_iterator(folder.folder()), {});
  EXPECT_EQ(entries, 1);
}

}  // namespace
}  // namespace lowtide::record

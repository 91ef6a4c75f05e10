// What is remembered of processes, sites and looks from tick to tick.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "screen/holder_lines.h"
#include "screen/process_lines.h"
#include "screen/site_lines.h"
#include "screen/testing/megabyte.h"
#include "screen/testing/sample_views.h"

namespace lowtide::screen {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr auto kTrainer = model::ProcessId{1};
constexpr auto kWorker = model::ProcessId{2};

bool has_controls(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F;
  });
}

model::Tick tick_at(double at_s, std::uint64_t trainer_bytes, std::uint64_t worker_bytes) {
  model::Tick tick;
  tick.at_s = at_s;
  tick.processes.push_back({.id = kTrainer, .own_bytes = trainer_bytes});
  tick.processes.push_back({.id = kWorker, .own_bytes = worker_bytes});
  return tick;
}

model::ProcessInfo info_of(model::ProcessId id, std::int64_t pid, model::ProcessRole role) {
  model::ProcessInfo info;
  info.id = id;
  info.pid = pid;
  info.role = role;
  info.command = "python train.py";
  return info;
}

TEST(ShortCommand, has_no_folder_of_the_program) {
  EXPECT_EQ(short_command("/opt/conda/envs/train/bin/python3 /data/train.py --lr 1"),
            "python3 /data/train.py --lr 1");
  EXPECT_EQ(short_command("python train.py"), "python train.py");
  EXPECT_EQ(short_command("./train.sh"), "./train.sh");
  EXPECT_EQ(short_command("/bin/"), "/bin/");
  EXPECT_EQ(short_command(""), "");
}

TEST(ProcessLines, tell_memory_growth_rate_and_cpu) {
  const auto trainer = info_of(kTrainer, 4711, model::ProcessRole::Trainer);
  const auto worker = info_of(kWorker, 4720, model::ProcessRole::Worker);
  ProcessLines processes;
  for (int at = 0; at < 100; ++at) {
    processes.add(tick_at(at, (100 + static_cast<std::uint64_t>(at)) * kMB, 50 * kMB));
  }
  const std::vector<ProcessNow> before{{&trainer, 10.0}, {&worker, std::nullopt}};
  const std::vector<ProcessNow> after{{&trainer, 11.0}, {&worker, std::nullopt}};
  processes.lines(before, 99);
  const auto lines = processes.lines(after, 101);

  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(lines[0].pid, 4711);
  EXPECT_EQ(lines[0].role, "trainer");
  EXPECT_EQ(lines[0].bytes, 199 * kMB);
  EXPECT_NEAR(static_cast<double>(lines[0].growth_bytes), 90e6, 12e6);
  EXPECT_NEAR(lines[0].bytes_per_s.value_or(0), 1e6, 1e5);
  EXPECT_NEAR(lines[0].cpu_share.value_or(-1), 0.5, 1e-9);
  EXPECT_EQ(lines[1].growth_bytes, 0);
  EXPECT_FALSE(lines[1].cpu_share);
}

TEST(ProcessLines, one_that_has_ended_is_forgotten) {
  const auto trainer = info_of(kTrainer, 4711, model::ProcessRole::Trainer);
  ProcessLines processes;
  processes.add(tick_at(0, kMB, kMB));

  EXPECT_THAT(processes.lines(std::vector<ProcessNow>{{&trainer, std::nullopt}}, 0), SizeIs(1));
  EXPECT_THAT(processes.lines({}, 1), IsEmpty());
  EXPECT_THAT(processes.lines(std::vector<ProcessNow>{{&trainer, std::nullopt}}, 2), IsEmpty());
}

TEST(ProcessLines, a_hostile_command_is_only_text) {
  auto trainer = info_of(kTrainer, 4711, model::ProcessRole::Trainer);
  trainer.command = hostile_name();
  ProcessLines processes;
  processes.add(tick_at(0, kMB, kMB));
  const auto lines = processes.lines(std::vector<ProcessNow>{{&trainer, std::nullopt}}, 0);

  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_FALSE(has_controls(lines[0].command)) << lines[0].command;
  EXPECT_THAT(lines[0].command, HasSubstr("evil"));
}

model::SiteInfo site_of(std::uint32_t id, const std::string& native, const std::string& file,
                        std::uint32_t line) {
  model::SiteInfo site;
  site.id = model::SiteId{id};
  site.process = kTrainer;
  site.frames = {
      {.language = model::FrameLanguage::Native, .function = native, .module = "/lib/libc.so.6"},
      {.language = model::FrameLanguage::Python, .function = "validate", .file = file, .line = line}};
  return site;
}

model::Tick sites_at(double at_s, std::uint32_t site, std::uint64_t live_bytes) {
  model::Tick tick;
  tick.at_s = at_s;
  tick.sites.push_back({.site = model::SiteId{site}, .process = kTrainer, .live_bytes = live_bytes});
  return tick;
}

TEST(SiteLines, stacks_that_come_from_one_line_are_one) {
  SiteLines sites;
  sites.begin(site_of(1, "malloc", "/job/train.py", 47));
  sites.begin(site_of(2, "mmap", "/job/train.py", 47));
  sites.begin(site_of(3, "malloc", "/job/train.py", 99));
  sites.add(sites_at(0, 1, 10 * kMB));
  sites.add(sites_at(0, 2, 5 * kMB));
  sites.add(sites_at(1, 2, 7 * kMB));  // a reading takes the place of the one before
  sites.add(sites_at(1, 9, 7 * kMB));  // of one that was never told
  const auto lines = sites.lines({{kTrainer, 4711}}, 1);

  ASSERT_THAT(lines, SizeIs(1));  // what holds nothing is not worth a line
  EXPECT_EQ(lines[0].place, "train.py:47 in validate");
  EXPECT_EQ(lines[0].live_bytes, 17 * kMB);
  EXPECT_EQ(lines[0].pid, 4711);
}

TEST(SiteLines, grow_as_what_is_alive_grows) {
  SiteLines sites;
  sites.begin(site_of(1, "malloc", "/job/train.py", 47));
  std::vector<SiteLine> lines;
  for (int at = 0; at < 60; ++at) {
    sites.add(sites_at(at, 1, static_cast<std::uint64_t>(at) * kMB));
    lines = sites.lines({{kTrainer, 4711}}, at);
  }

  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_NEAR(static_cast<double>(lines[0].growth_bytes), 54e6, 8e6);
  EXPECT_NEAR(lines[0].bytes_per_s.value_or(0), 1e6, 1e5);
}

TEST(SiteLines, go_with_their_process) {
  SiteLines sites;
  sites.begin(site_of(1, "malloc", "/job/train.py", 47));
  sites.add(sites_at(0, 1, kMB));

  EXPECT_THAT(sites.lines({}, 1), IsEmpty());
  sites.add(sites_at(2, 1, kMB));
  EXPECT_THAT(sites.lines({{kTrainer, 4711}}, 2), IsEmpty());
}

TEST(SiteLines, a_hostile_file_is_only_text) {
  SiteLines sites;
  sites.begin(site_of(1, "malloc", "/job/" + hostile_name() + ".py", 1));
  sites.add(sites_at(0, 1, kMB));
  const auto lines = sites.lines({{kTrainer, 4711}}, 1);

  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_FALSE(has_controls(lines[0].place)) << lines[0].place;
}

model::Snapshot look_at(double at_s, std::uint64_t history_bytes) {
  model::Snapshot snapshot;
  snapshot.pid = 4711;
  snapshot.at_s = at_s;
  snapshot.has_holders = true;
  snapshot.is_exact = true;
  snapshot.is_whole = true;
  snapshot.object_bytes = history_bytes + 10 * kMB;
  model::HeldNode trainer;
  trainer.path = "__main__.trainer";
  trainer.type = "Trainer";
  trainer.retained_bytes = history_bytes + kMB;
  trainer.depth = 1;
  model::HeldNode history = trainer;
  history.path = "__main__.trainer.history";
  history.type = "list";
  history.length = history_bytes / 1000;
  history.retained_bytes = history_bytes;
  history.holder = 0;
  history.depth = 2;
  history.address = 4096;
  snapshot.nodes = {trainer, history};
  return snapshot;
}

TEST(HolderLines, after_one_snapshot_are_the_largest_and_have_not_grown) {
  HolderLines holders;
  EXPECT_FALSE(holders.latest_s());
  holders.add(look_at(10, 100 * kMB));
  const auto lines = holders.lines();

  ASSERT_THAT(lines, SizeIs(1));  // the trainer holds little but its history
  EXPECT_EQ(lines[0].name, "__main__.trainer.history (list)");
  EXPECT_EQ(lines[0].bytes, 100 * kMB);
  EXPECT_FALSE(lines[0].growth_bytes);
  EXPECT_EQ(holders.snapshots(), 1U);
}

TEST(HolderLines, after_two_snapshots_show_what_grew) {
  HolderLines holders;
  holders.add(look_at(10, 100 * kMB));
  holders.add(look_at(20, 180 * kMB));
  const auto lines = holders.lines();

  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_EQ(lines[0].name, "__main__.trainer.history (list)");
  EXPECT_EQ(lines[0].growth_bytes, static_cast<std::int64_t>(80 * kMB));
  EXPECT_EQ(holders.latest_s(), 20.0);
}

TEST(HolderLines, a_hostile_variable_is_only_text) {
  HolderLines holders;
  model::Snapshot snapshot = look_at(10, 100 * kMB);
  for (model::HeldNode& node : snapshot.nodes) node.path = node.type = hostile_name();
  holders.add(snapshot);

  for (const HolderLine& line : holders.lines()) EXPECT_FALSE(has_controls(line.name)) << line.name;
}

}  // namespace
}  // namespace lowtide::screen

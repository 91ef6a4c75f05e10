// A /proc of files, because a process that is between two steps of its end cannot be held there.
#include "observe/tree/process_tree.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/testing/temp_folder.h"
#include "procfs/kernel_clock.h"

namespace lowtide::observe {
namespace {

constexpr std::int32_t kMonitor = 10;
constexpr std::int32_t kJob = 20;
constexpr std::int32_t kDaemonParent = 30;
constexpr std::int32_t kDaemon = 40;

class Machine {
 public:
  explicit Machine(const std::string& name) : proc_(base::temp_folder() + name) {
    write("loadavg", "0.00 0.00 0.00 1/100 10\n");
  }

  [[nodiscard]] ProcessTree::Options options() const {
    ProcessTree::Options options;
    options.roots.proc = proc_;
    options.root_pid = kJob;
    options.own_pid = kMonitor;
    options.adopts_orphans = true;
    return options;
  }

  // Old enough to be no fork that is about to call exec.
  void put_process(std::int32_t pid, std::int32_t parent, bool has_memory = true, double age_s = 10) {
    const double born_s = std::max(0.0, procfs::read_boot_seconds() - age_s);
    const auto born_ticks =
        static_cast<std::int64_t>(born_s * static_cast<double>(procfs::ticks_per_second()));
    newest_ = std::max(newest_, pid);
    write("loadavg", fmt::format("0.00 0.00 0.00 1/100 {}\n", newest_));
    write(fmt::format("{}/stat", pid),
          fmt::format("{} (python3) S {} 1 1 0 -1 0 9 0 0 0 1 1 0 0 20 0 1 0 {} 4096000 1000 "
                      "18446744073709551615 0 0 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0\n",
                      pid, parent, born_ticks));
    std::string status =
        fmt::format("Name:\tpython3\nState:\tS (sleeping)\nPid:\t{}\nPPid:\t{}\n", pid, parent);
    if (has_memory) {
      status += "VmRSS:\t4000 kB\nRssAnon:\t3000 kB\nRssFile:\t1000 kB\nRssShmem:\t0 kB\nVmSwap:\t0 kB\n";
    }
    write(fmt::format("{}/status", pid), status);
    write(fmt::format("{}/cmdline", pid), std::string("python3\0job.py\0", 15));
  }

  void remove_process(std::int32_t pid) { std::filesystem::remove_all(fmt::format("{}/{}", proc_, pid)); }

 private:
  void write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = std::filesystem::path(proc_) / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }

  std::string proc_;
  std::int32_t newest_ = kMonitor;
};

TEST(ProcessTree, child_of_a_job_that_is_ending_is_found_when_it_has_its_new_parent) {
  Machine machine("ending");
  machine.put_process(kJob, kMonitor);
  auto tree = ProcessTree::open(machine.options(), 0.0);
  ASSERT_TRUE(tree.ok());

  machine.put_process(kJob, kMonitor, false);
  machine.put_process(kDaemonParent, kJob);
  machine.put_process(kDaemon, kDaemonParent);
  tree.value().refresh(1.0);
  EXPECT_EQ(tree.value().find(kJob), nullptr);

  machine.remove_process(kJob);
  machine.put_process(kDaemonParent, kMonitor);
  tree.value().refresh(1.5);
  EXPECT_NE(tree.value().find(kDaemonParent), nullptr);
  EXPECT_NE(tree.value().find(kDaemon), nullptr);
}

TEST(ProcessTree, child_of_a_newcomer_that_is_ending_is_found_when_it_has_its_new_parent) {
  Machine machine("newcomer");
  machine.put_process(kJob, kMonitor);
  auto tree = ProcessTree::open(machine.options(), 0.0);
  ASSERT_TRUE(tree.ok());

  machine.put_process(kDaemonParent, kJob, false);
  machine.put_process(kDaemon, kDaemonParent);
  tree.value().refresh(1.0);
  EXPECT_EQ(tree.value().find(kDaemon), nullptr);

  machine.remove_process(kDaemonParent);
  machine.put_process(kDaemon, kMonitor);
  tree.value().refresh(1.5);
  EXPECT_NE(tree.value().find(kDaemon), nullptr);
}

TEST(ProcessTree, job_that_is_ending_at_the_first_tick_leaves_its_orphans) {
  Machine machine("first");
  machine.put_process(kJob, kMonitor, false);
  machine.put_process(kDaemon, kMonitor);
  const auto tree = ProcessTree::open(machine.options(), 0.0);

  ASSERT_TRUE(tree.ok());
  EXPECT_NE(tree.value().find(kDaemon), nullptr);
}

TEST(ProcessTree, process_that_has_ended_is_told_from_one_that_is_not_there) {
  Machine machine("ended");
  machine.put_process(kDaemon, kMonitor);
  ProcessTree::Options options = machine.options();
  options.adopts_orphans = false;
  const auto missing = ProcessTree::open(options, 0.0);
  machine.put_process(kJob, kMonitor, false);
  const auto ended = ProcessTree::open(options, 0.0);

  ASSERT_FALSE(missing.ok() || ended.ok());
  EXPECT_EQ(missing.error().code, base::ErrorCode::Gone);
  EXPECT_EQ(ended.error().code, base::ErrorCode::Ended);
}

TEST(ProcessTree, fork_while_a_snapshot_is_taken_must_be_older_to_count) {
  Machine machine("walked");
  machine.put_process(kJob, kMonitor);
  auto tree = ProcessTree::open(machine.options(), 0.0);
  ASSERT_TRUE(tree.ok());

  machine.put_process(kDaemon, kJob, true, 0.3);
  tree.value().expect_walker(true);
  tree.value().refresh(0.0);
  EXPECT_EQ(tree.value().find(kDaemon), nullptr);

  tree.value().expect_walker(false);
  tree.value().refresh(0.0);
  EXPECT_NE(tree.value().find(kDaemon), nullptr);
}

TEST(ProcessTree, process_of_another_parent_stays_a_stranger) {
  Machine machine("stranger");
  machine.put_process(kJob, kMonitor);
  machine.put_process(kDaemon, 1);
  auto tree = ProcessTree::open(machine.options(), 0.0);
  ASSERT_TRUE(tree.ok());
  tree.value().refresh(1.0);

  EXPECT_EQ(tree.value().members().size(), 1U);
}

}  // namespace
}  // namespace lowtide::observe

#include "watch/snapshots/snapshot_room.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace lowtide::watch {
namespace {

constexpr std::uint64_t kMiB = 1U << 20U;

// A process of 100 MiB in a cgroup of version 2, as files.
class FileMachine {
 public:
  FileMachine()
      : folder_(std::filesystem::temp_directory_path() / ("snapshot_room_" + std::to_string(::getpid()))) {
    write("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    write("proc/77/cgroup", "0::/pod/job\n");
    write("proc/77/stat", "77 (python) S 1 77 77 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 100 1 1\n");
    write("proc/77/status", "Name:\tpython\nState:\tS (sleeping)\nPid:\t77\nPPid:\t1\nVmRSS:\t102400 kB\n");
    for (const std::string group : {"pod", "pod/job"}) {
      write("cgroup/" + group + "/cgroup.type", "domain\n");
      write("cgroup/" + group + "/memory.current", std::to_string(200 * kMiB));
      write("cgroup/" + group + "/memory.max", "max\n");
      write("cgroup/" + group + "/memory.oom.group", "0\n");
      write("cgroup/" + group + "/memory.stat", "anon 1\nfile 0\nshmem 0\n");
    }
  }
  FileMachine(const FileMachine&) = delete;
  FileMachine(FileMachine&&) = delete;
  FileMachine& operator=(const FileMachine&) = delete;
  FileMachine& operator=(FileMachine&&) = delete;
  ~FileMachine() { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  void set_limit(const std::string& group, std::uint64_t bytes) {
    write("cgroup/" + group + "/memory.max", std::to_string(bytes));
  }
  void kill_together(const std::string& group) { write("cgroup/" + group + "/memory.oom.group", "1\n"); }

  [[nodiscard]] std::optional<std::string> reason() const {
    return reason_against_snapshot({.proc = (folder_ / "proc").string(), .cgroup = cgroup()}, 77);
  }

 private:
  [[nodiscard]] std::string cgroup() const { return (folder_ / "cgroup").string(); }

  std::filesystem::path folder_;
};

TEST(SnapshotRoom, cgroup_that_kills_all_needs_room_for_every_page_and_the_tables) {
  FileMachine machine;
  machine.kill_together("pod/job");
  machine.set_limit("pod/job", 200 * kMiB + 355 * kMiB);
  EXPECT_THAT(machine.reason().value_or(""), testing::HasSubstr("memory.oom.group"));

  machine.set_limit("pod/job", 200 * kMiB + 356 * kMiB);
  EXPECT_EQ(machine.reason(), std::nullopt);
}

TEST(SnapshotRoom, limit_above_the_cgroup_that_kills_all_counts_and_one_below_does_not) {
  FileMachine machine;
  machine.set_limit("pod", 300 * kMiB);
  machine.kill_together("pod/job");
  EXPECT_TRUE(machine.reason());

  FileMachine other;
  other.set_limit("pod/job", 300 * kMiB);
  other.kill_together("pod");
  EXPECT_FALSE(other.reason());
}

TEST(SnapshotRoom, page_cache_is_room_because_the_kernel_drops_it) {
  FileMachine machine;
  machine.kill_together("pod/job");
  machine.set_limit("pod/job", 300 * kMiB);
  machine.write("cgroup/pod/job/memory.stat", "anon 1\nfile " + std::to_string(300 * kMiB) + "\nshmem 0\n");

  EXPECT_EQ(machine.reason(), std::nullopt);
}

TEST(SnapshotRoom, cgroup_that_kills_single_processes_is_no_reason) {
  FileMachine machine;
  machine.set_limit("pod/job", 201 * kMiB);

  EXPECT_EQ(machine.reason(), std::nullopt);
}

}  // namespace
}  // namespace lowtide::watch

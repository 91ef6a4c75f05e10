// statm, status, stat and smaps_rollup: the files that every tick reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "procfs/smaps_rollup.h"
#include "procfs/stat.h"
#include "procfs/statm.h"
#include "procfs/status.h"
#include "procfs/test_machines.h"

namespace lowtide::procfs {
namespace {

// The text without the lines that begin with `prefix`: what an older kernel prints.
std::string without_lines(const std::string& text, const std::string& prefix) {
  std::string kept;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    if (text.compare(at, prefix.size(), prefix) != 0) {
      kept += text.substr(at, end - at);
    }
    at = end;
  }
  return kept;
}

TEST(Statm, pages_become_bytes) {
  const auto statm = parse_statm(fixture_text("6243/statm"), 4096);

  ASSERT_TRUE(statm);
  EXPECT_EQ(statm.value().size_bytes, 16219U * 4096);
  EXPECT_EQ(statm.value().resident_bytes, 11781U * 4096);
  EXPECT_EQ(statm.value().shared_bytes, 5318U * 4096);
  EXPECT_TRUE(statm.value().has_memory());
  const auto status = parse_status(fixture_text("6243/status"));
  ASSERT_TRUE(status);
  EXPECT_EQ(statm.value().writable_bytes, status.value().writable_bytes) << "the kernel counts both alike";
}

TEST(Statm, kernel_thread_and_zombie_have_no_memory) {
  for (const char* file : {"2/statm", "6245/statm"}) {
    const auto statm = parse_statm(fixture_text(file), 4096);

    ASSERT_TRUE(statm) << file;
    EXPECT_FALSE(statm.value().has_memory()) << file;
  }
}

TEST(Statm, what_is_no_statm_is_malformed) {
  for (const char* text : {"", "1", "1 2", "1 2 x", "-1 2 3", "1 2 3", "1 2 18446744073709551615 1 0 1 0",
                           "1 2 3 4 0 18446744073709551615 0", "\n\n\n"}) {
    EXPECT_FALSE(parse_statm(text, 4096)) << text;
  }
}

TEST(Status, real_process_is_read) {
  const auto status = parse_status(fixture_text("6243/status"));

  ASSERT_TRUE(status);
  EXPECT_EQ(status.value().pid, 6243);
  EXPECT_EQ(status.value().ppid, 6242);
  EXPECT_EQ(status.value().uid, 0U);
  EXPECT_EQ(status.value().state, 'S');
  EXPECT_THAT(status.value().namespace_pids(), testing::ElementsAre(6243, 1));
  EXPECT_EQ(status.value().hwm_bytes, 47124 * kKiB);
  EXPECT_EQ(status.value().rss_bytes, 47124 * kKiB);
  EXPECT_EQ(status.value().anon_bytes, 25852 * kKiB);
  EXPECT_EQ(status.value().file_bytes, 15128 * kKiB);
  EXPECT_EQ(status.value().shmem_bytes, 6144 * kKiB);
  EXPECT_EQ(status.value().swap_bytes, 0U);
  EXPECT_EQ(status.value().threads, 1U);
  EXPECT_TRUE(status.value().has_memory);
  EXPECT_TRUE(status.value().has_split);
}

TEST(Status, name_with_newline_and_parentheses_does_not_confuse) {
  const auto status = parse_status(fixture_text("6244/status"));

  ASSERT_TRUE(status);
  EXPECT_EQ(status.value().pid, 6244);
  EXPECT_EQ(status.value().ppid, 6243);
  EXPECT_EQ(status.value().state, 'S');
}

TEST(Status, kernel_thread_and_zombie_have_no_memory) {
  const auto kernel_thread = parse_status(fixture_text("2/status"));
  const auto zombie = parse_status(fixture_text("6245/status"));

  ASSERT_TRUE(kernel_thread);
  ASSERT_TRUE(zombie);
  EXPECT_FALSE(kernel_thread.value().has_memory);
  EXPECT_FALSE(zombie.value().has_memory);
  EXPECT_EQ(zombie.value().state, 'Z');
}

TEST(Status, kernel_before_4_5_has_no_split_and_before_4_1_no_namespaces) {
  const std::string old = without_lines(without_lines(fixture_text("6243/status"), "Rss"), "NSpid");

  const auto status = parse_status(old);

  ASSERT_TRUE(status);
  EXPECT_TRUE(status.value().has_memory);
  EXPECT_FALSE(status.value().has_split);
  EXPECT_EQ(status.value().rss_bytes, 47124 * kKiB);
  EXPECT_TRUE(status.value().namespace_pids().empty());
}

TEST(Status, more_namespaces_than_we_keep_are_cut) {
  const auto status =
      parse_status("State:\tS (x)\nPid:\t1\nPPid:\t0\nNSpid:\t1 2 3 4 5 6 7 8 9 10\nThreads:\t1\n");

  ASSERT_TRUE(status);
  EXPECT_EQ(status.value().ns_depth, kMaxPidNamespaces);
  EXPECT_EQ(status.value().ns_pids.back(), 8);
}

TEST(Status, what_is_no_status_is_malformed) {
  EXPECT_FALSE(parse_status(""));
  EXPECT_FALSE(parse_status("Pid:\t1\nPPid:\t1\n"));
  EXPECT_FALSE(parse_status("State:\tS\nPid:\tx\nPPid:\t1\n"));
  EXPECT_FALSE(parse_status("State:\tS\nPid:\t1\nPPid:\t1\nVmRSS:\t kB\n"));
  EXPECT_FALSE(parse_status("State:\tS\nPid:\t1\nPPid:\t1\nVmRSS:\t18446744073709551615 kB\n"));
}

TEST(Stat, real_process_is_read) {
  const auto stat = parse_stat(fixture_text("6243/stat"));

  ASSERT_TRUE(stat);
  EXPECT_EQ(stat.value().pid, 6243);
  EXPECT_EQ(stat.value().comm(), "python3");
  EXPECT_EQ(stat.value().state, 'S');
  EXPECT_EQ(stat.value().ppid, 6242);
  EXPECT_EQ(stat.value().pgrp, 6235);
  EXPECT_EQ(stat.value().session, 28796);
  EXPECT_EQ(stat.value().tty_nr, 0);
  EXPECT_EQ(stat.value().minor_faults, 8188U);
  EXPECT_EQ(stat.value().major_faults, 1U);
  EXPECT_EQ(stat.value().utime_ticks, 12U);
  EXPECT_EQ(stat.value().stime_ticks, 2U);
  EXPECT_EQ(stat.value().threads, 1U);
  EXPECT_EQ(stat.value().start_ticks, 1318398U);
  EXPECT_FALSE(stat.value().kernel_thread);
}

TEST(Stat, name_may_hold_anything) {
  const auto stat = parse_stat(fixture_text("6244/stat"));

  ASSERT_TRUE(stat);
  EXPECT_EQ(stat.value().comm(), "a) R 1 (b\nc d");
  EXPECT_EQ(stat.value().state, 'S');
  EXPECT_EQ(stat.value().ppid, 6243);
  EXPECT_EQ(stat.value().start_ticks, 1318416U);
}

TEST(Stat, kernel_thread_is_known_by_its_flag) {
  const auto stat = parse_stat(fixture_text("2/stat"));

  ASSERT_TRUE(stat);
  EXPECT_TRUE(stat.value().kernel_thread);
  EXPECT_EQ(stat.value().comm(), "kthreadd");
}

TEST(Stat, long_name_of_a_kernel_worker_is_cut_not_overrun) {
  const std::string name(200, 'k');
  const auto stat = parse_stat("9 (" + name + ") I 2 0 0 0 -1 69238880 0 0 0 0 0 0 0 0 20 0 1 0 55 0 0");

  ASSERT_TRUE(stat);
  EXPECT_EQ(stat.value().comm(), std::string(64, 'k'));
  EXPECT_EQ(stat.value().start_ticks, 55U);
}

TEST(Stat, what_is_no_stat_is_malformed) {
  for (const char* text : {"", "1", "1 (a", ") (", "1 (a)", "1 (a) S", "1 (a) S 1 2 3", "x (a) S 1 2 3"}) {
    EXPECT_FALSE(parse_stat(text)) << text;
  }
}

TEST(SmapsRollup, forked_worker_shares_most_of_its_pages) {
  const auto rollup = parse_smaps_rollup(fixture_text("6244/smaps_rollup"));

  ASSERT_TRUE(rollup);
  EXPECT_EQ(rollup.value().rss_bytes, 31416 * kKiB);
  EXPECT_EQ(rollup.value().pss_bytes, 15634 * kKiB);
  EXPECT_EQ(rollup.value().pss_anon_bytes, 13976 * kKiB);
  EXPECT_EQ(rollup.value().pss_file_bytes, 1658 * kKiB);
  EXPECT_EQ(rollup.value().pss_shmem_bytes, 0U);
  EXPECT_EQ(rollup.value().shared_clean_bytes, 5560 * kKiB);
  EXPECT_EQ(rollup.value().shared_dirty_bytes, 23752 * kKiB);
  EXPECT_EQ(rollup.value().private_clean_bytes, 4 * kKiB);
  EXPECT_EQ(rollup.value().private_dirty_bytes, 2100 * kKiB);
  EXPECT_EQ(rollup.value().anonymous_bytes, 25852 * kKiB);
  EXPECT_EQ(rollup.value().uss_bytes(), 2104 * kKiB);
  EXPECT_TRUE(rollup.value().has_pss_split);
}

TEST(SmapsRollup, kernel_before_5_1_has_no_split) {
  const auto rollup = parse_smaps_rollup(without_lines(fixture_text("6243/smaps_rollup"), "Pss_"));

  ASSERT_TRUE(rollup);
  EXPECT_EQ(rollup.value().pss_bytes, 29529 * kKiB);
  EXPECT_FALSE(rollup.value().has_pss_split);
}

TEST(SmapsRollup, what_is_no_rollup_is_malformed) {
  for (const char* text : {"", "Rss: 1 kB\n", "Rss: 1 kB\nPss: x kB\n", "[rollup]\n"}) {
    EXPECT_FALSE(parse_smaps_rollup(text)) << text;
  }
}

}  // namespace
}  // namespace lowtide::procfs

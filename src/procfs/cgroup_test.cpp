#include "procfs/cgroup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/testing/source_dir.h"
#include "base/testing/temp_folder.h"
#include "procfs/cgroup_path.h"
#include "procfs/test_machines.h"

namespace lowtide::procfs {
namespace {

constexpr std::uint64_t kGiB = 1ULL << 30U;

TEST(CgroupMembership, hybrid_machine_counts_memory_on_v1) {
  const auto membership = parse_cgroup_membership(fixture_text("6243/cgroup"));

  ASSERT_TRUE(membership);
  EXPECT_EQ(membership.value().memory_v1, "/lowtide_fixture/job");
  EXPECT_EQ(membership.value().unified, "/");
}

TEST(CgroupMembership, path_may_hold_colons_and_controllers_share_a_line) {
  const auto membership = parse_cgroup_membership("5:cpu,memory:/a:b/c\n0::/x:y\n");

  ASSERT_TRUE(membership);
  EXPECT_EQ(membership.value().memory_v1, "/a:b/c");
  EXPECT_EQ(membership.value().unified, "/x:y");
}

TEST(CgroupMembership, what_is_no_membership_is_malformed) {
  for (const char* text : {"", "x", "0:", "0::", "::\n", "0::relative\n"}) {
    EXPECT_FALSE(parse_cgroup_membership(text)) << text;
  }
}

TEST(CgroupMounts, blanks_in_a_mount_point_are_unescaped) {
  const auto mounts = parse_cgroup_mounts(
      "1 2 0:1 / /proc rw - proc proc rw\n"
      "31 23 0:26 /a\\040b /mnt/c\\134d rw shared:9 - cgroup2 cgroup2 rw\n"
      "32 23 0:27 / /cpu rw - cgroup cgroup rw,cpu\n"
      "33 23 - cgroup2\n");

  ASSERT_EQ(mounts.size(), 1U);
  EXPECT_EQ(mounts[0].root, "/a b");
  EXPECT_EQ(mounts[0].point, "/mnt/c\\d");
}

TEST(CgroupLimit, max_and_the_huge_number_of_v1_mean_none) {
  for (const char* text : {"max\n", "9223372036854771712\n", "9223372036854710272\n"}) {
    const auto limit = parse_cgroup_limit(text);

    ASSERT_TRUE(limit) << text;
    EXPECT_FALSE(limit.value().has_value()) << text;
  }
  EXPECT_EQ(parse_cgroup_limit("1048576\n").value(), 1048576U);
  EXPECT_FALSE(parse_cgroup_limit(""));
  EXPECT_FALSE(parse_cgroup_limit("12 apples"));
}

TEST(CgroupMemory, v1_parents_limit_is_tighter_than_the_jobs_own) {
  auto memory = CgroupMemory::open(roots_of(kRealMachine), kTrainer);
  ASSERT_TRUE(memory) << memory.error().message;

  const auto limits = memory.value().read_limits();

  ASSERT_TRUE(limits);
  EXPECT_EQ(memory.value().version(), 1);
  ASSERT_TRUE(limits.value().max);
  EXPECT_EQ(limits.value().max->bytes, kGiB / 2);
  EXPECT_EQ(limits.value().max->level, 1U);
  EXPECT_EQ(memory.value().path(1), "/lowtide_fixture");
  EXPECT_EQ(limits.value().headroom_bytes, kGiB / 2 - 36126720);
  EXPECT_FALSE(limits.value().high);
  EXPECT_TRUE(memory.value().sees_whole_hierarchy());
}

TEST(CgroupMemory, v1_counters_are_read) {
  auto memory = CgroupMemory::open(roots_of(kRealMachine), kTrainer);
  ASSERT_TRUE(memory);

  const auto reading = memory.value().read();

  ASSERT_TRUE(reading);
  EXPECT_EQ(reading.value().current_bytes, 35864576U);
  EXPECT_EQ(reading.value().anon_bytes, 28737536U);
  EXPECT_EQ(reading.value().file_bytes, 6410240U);
  EXPECT_EQ(reading.value().shmem_bytes, 6291456U);
  EXPECT_EQ(reading.value().inactive_file_bytes, 118784U);
  EXPECT_EQ(reading.value().kernel_bytes, 569344U);
  EXPECT_EQ(reading.value().oom_kill_events, 0U);
  EXPECT_FALSE(reading.value().oom_events.has_value());
}

TEST(CgroupMemory, v2_tightest_limit_and_least_headroom_are_on_different_levels) {
  auto memory = CgroupMemory::open(roots_of("cgroup2-nested"), 77);
  ASSERT_TRUE(memory) << memory.error().message;

  const auto limits = memory.value().read_limits();

  ASSERT_TRUE(limits);
  // The cgroup "inner" has no memory controller: counting begins with its parent.
  EXPECT_EQ(memory.value().path(), "/kubepods.slice/pod:1/job");
  ASSERT_TRUE(limits.value().max);
  EXPECT_EQ(limits.value().max->bytes, 8 * kGiB);
  EXPECT_EQ(limits.value().max->current_bytes, 5 * kGiB);
  EXPECT_EQ(memory.value().path(limits.value().max->level), "/kubepods.slice/pod:1");
  ASSERT_TRUE(limits.value().high);
  EXPECT_EQ(limits.value().high->bytes, 6 * kGiB);
  EXPECT_EQ(limits.value().headroom_bytes, kGiB / 2);
  EXPECT_TRUE(memory.value().sees_whole_hierarchy());
}

TEST(CgroupMemory, v2_kill_of_all_processes_counts_below_a_limit) {
  auto nested = CgroupMemory::open(roots_of("cgroup2-nested"), 77);
  auto container = CgroupMemory::open(roots_of("cgroup2-container"), 1);
  ASSERT_TRUE(nested && container);

  EXPECT_TRUE(nested.value().read_limits().value().kills_together);
  EXPECT_FALSE(container.value().read_limits().value().kills_together);
}

TEST(CgroupMemory, v2_counters_are_read) {
  auto memory = CgroupMemory::open(roots_of("cgroup2-nested"), 77);
  ASSERT_TRUE(memory);

  const auto reading = memory.value().read();

  ASSERT_TRUE(reading);
  EXPECT_EQ(reading.value().anon_bytes, 3 * kGiB);
  EXPECT_EQ(reading.value().file_bytes, kGiB);
  EXPECT_EQ(reading.value().shmem_bytes, kGiB / 4);
  EXPECT_EQ(reading.value().kernel_bytes, 67108864U);
  EXPECT_EQ(reading.value().oom_events, 2U);
  EXPECT_EQ(reading.value().oom_kill_events, 1U);
}

TEST(CgroupMemory, container_that_calls_its_own_cgroup_the_root_has_a_limit) {
  auto memory = CgroupMemory::open(roots_of("cgroup2-container"), 1);
  ASSERT_TRUE(memory) << memory.error().message;

  const auto limits = memory.value().read_limits();
  const auto reading = memory.value().read();

  ASSERT_TRUE(limits);
  EXPECT_EQ(limits.value().max->bytes, 4 * kGiB);
  EXPECT_EQ(limits.value().headroom_bytes, 0U);
  EXPECT_EQ(memory.value().path(), "/");
  EXPECT_FALSE(memory.value().sees_whole_hierarchy());
  ASSERT_TRUE(reading);
  // No line "kernel" before Linux 5.18: stack, page tables, sockets and slab.
  EXPECT_EQ(reading.value().kernel_bytes, 1048576U + 33554432 + 4096 + 31457280);
}

TEST(CgroupMemory, process_outside_of_our_cgroup_namespace_is_unsupported) {
  const auto memory = CgroupMemory::open(roots_of("cgroup2-container"), 9);

  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.error().code, base::ErrorCode::Unsupported);
}

TEST(CgroupMemory, root_cgroup_of_v2_counts_nothing) {
  const auto memory = CgroupMemory::open(roots_of("cgroup2-root"), 77);

  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.error().code, base::ErrorCode::Unsupported);
}

TEST(CgroupMemory, docker_on_v1_mounts_just_its_own_cgroup) {
  auto memory = CgroupMemory::open(roots_of("cgroup1-docker"), 1);
  ASSERT_TRUE(memory) << memory.error().message;

  const auto limits = memory.value().read_limits();
  const auto reading = memory.value().read();

  ASSERT_TRUE(limits);
  ASSERT_TRUE(limits.value().max);
  EXPECT_EQ(limits.value().max->bytes, kGiB);
  EXPECT_EQ(limits.value().max->level, memory.value().levels());
  EXPECT_EQ(memory.value().path(limits.value().max->level), "");
  EXPECT_FALSE(memory.value().sees_whole_hierarchy());
  ASSERT_TRUE(reading);
  EXPECT_EQ(reading.value().anon_bytes, 600000000U);
  EXPECT_EQ(reading.value().oom_kill_events, 3U);
}

TEST(CgroupMemory, process_that_is_no_more_is_gone) {
  const auto memory = CgroupMemory::open(roots_of(kRealMachine), 99);

  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.error().code, base::ErrorCode::Gone);
}

TEST(CgroupMemory, cgroup_that_vanished_is_a_value) {
  const std::string folder = base::temp_folder() + "/vanished_cgroup";
  std::filesystem::remove_all(folder);
  std::filesystem::copy(base::source_dir() + "/tests/fixtures/proc/cgroup2-nested", folder,
                        std::filesystem::copy_options::recursive);
  std::filesystem::remove_all(folder + "/cgroup/kubepods.slice");

  const auto memory = CgroupMemory::open(Roots{.proc = folder + "/proc", .cgroup = folder + "/cgroup"}, 77);

  ASSERT_FALSE(memory);
  EXPECT_THAT(memory.error().message, testing::HasSubstr("/kubepods.slice"));
  std::filesystem::remove_all(folder);
}

TEST(CgroupMemory, without_mountinfo_the_usual_places_are_tried) {
  const std::string folder = base::temp_folder() + "/no_mountinfo";
  std::filesystem::remove_all(folder);
  std::filesystem::copy(base::source_dir() + "/tests/fixtures/proc/cgroup2-nested", folder,
                        std::filesystem::copy_options::recursive);
  std::filesystem::remove(folder + "/proc/self/mountinfo");

  const auto memory = CgroupMemory::open(Roots{.proc = folder + "/proc", .cgroup = folder + "/cgroup"}, 77);

  ASSERT_TRUE(memory) << memory.error().message;
  EXPECT_EQ(memory.value().path(), "/kubepods.slice/pod:1/job");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace lowtide::procfs

#include "procfs/tmpfs_mounts.h"

#include <gmock/gmock.h>
#include <sys/sysmacros.h>

namespace lowtide::procfs {
namespace {

using testing::IsEmpty;

TEST(TmpfsMounts, only_file_systems_in_memory_that_can_be_written_are_found) {
  const auto mounts = parse_tmpfs_mounts(
      "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
      "24 27 0:6 / /dev rw,relatime - devtmpfs devtmpfs rw,size=12333904k\n"
      "25 24 0:23 / /dev/shm rw,relatime shared:4 - tmpfs tmpfs rw,size=24682740k\n"
      "26 27 0:24 / /sys/fs/cgroup ro,nosuid - tmpfs tmpfs rw,mode=755\n"
      "27 27 0:25 / /etc/secret rw - tmpfs tmpfs ro,size=4k\n"
      "28 27 0:26 /part /mnt/a\\040b rw,relatime - tmpfs none rw");

  ASSERT_EQ(mounts.size(), 2U);
  EXPECT_EQ(mounts[0].point, "/dev/shm");
  EXPECT_EQ(mounts[0].device, makedev(0, 23));
  EXPECT_EQ(mounts[1].point, "/mnt/a b");
  EXPECT_EQ(mounts[1].device, makedev(0, 26));
}

TEST(TmpfsMounts, lines_that_are_cut_or_wrong_are_left_out) {
  for (const char* text :
       {"", "\n\n", " - tmpfs", "25 24 0:23 / - tmpfs tmpfs rw", "25 24 0:23 / /dev/shm rw - ",
        "25 24 0:23 / /dev/shm rw tmpfs tmpfs rw", "25 24 23 / /dev/shm rw - tmpfs tmpfs rw",
        "25 24 0:23x / /dev/shm rw - tmpfs tmpfs rw", "25 24 0:-1 / /dev/shm rw - tmpfs tmpfs rw",
        "25 24 99999999999:0 / /dev/shm rw - tmpfs tmpfs rw", "25 24 0:23 / dev/shm rw - tmpfs tmpfs rw"}) {
    EXPECT_THAT(parse_tmpfs_mounts(text), IsEmpty()) << text;
  }
}

}  // namespace
}  // namespace lowtide::procfs

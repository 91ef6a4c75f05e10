// With a mount: as root, in a mount namespace of the test's own.
#include "observe/tree/tmpfs_folders.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "base/testing/temp_folder.h"
#include "observe/tree/shared_objects.h"

namespace lowtide::observe {
namespace {

constexpr std::uint64_t kOneMegabyte = 1U << 20U;
constexpr double kLongAfter = 1e6;

class TmpfsFoldersTest : public testing::Test {
 protected:
  void SetUp() override {
    shm_ = base::temp_folder() + "tmpfs-shm";
    other_ = base::temp_folder() + "tmpfs-other";
    for (const std::string& folder : {shm_, other_}) std::filesystem::create_directories(folder);
    // Mounts of this thread alone; they go when it ends.
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
      GTEST_SKIP() << "needs root, to mount a tmpfs";
    for (const std::string& folder : {shm_, other_}) {
      if (::mount("lowtide-test", folder.c_str(), "tmpfs", 0, "size=8m") != 0)
        GTEST_SKIP() << "needs root, to mount a tmpfs";
      mounted_.push_back(folder);
    }
    roots_.shm = shm_;
  }
  void TearDown() override {
    for (const std::string& folder : mounted_) ::umount2(folder.c_str(), MNT_DETACH);
  }
  static void write_file(const std::string& path, std::uint64_t bytes) {
    std::ofstream(path) << std::string(bytes, 'x');
  }
  [[nodiscard]] std::vector<model::TmpfsReading> readings(SharedObjects& objects) {
    (void)objects.read(self_, at_s_ += kLongAfter);
    std::vector<model::TmpfsReading> out;
    objects.fill(out);
    return out;
  }

  std::string shm_;
  std::string other_;
  std::vector<std::string> mounted_;
  procfs::Roots roots_;
  std::array<std::int64_t, 1> self_ = {::getpid()};  // the job
  double at_s_ = 0;
};

TEST_F(TmpfsFoldersTest, size_and_used_bytes_of_all_files_are_read) {
  write_file(shm_ + "/of-another-job", 2 * kOneMegabyte);
  SharedObjects objects(roots_);
  ASSERT_EQ(readings(objects).size(), 1U);
  write_file(shm_ + "/since", kOneMegabyte);

  const auto read = readings(objects);
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(objects.path_of(read[0].index), shm_);
  EXPECT_EQ(read[0].total_bytes, 8 * kOneMegabyte);
  EXPECT_EQ(read[0].used_bytes, 3 * kOneMegabyte);
  EXPECT_EQ(read[0].job_bytes, kOneMegabyte);
}

TEST_F(TmpfsFoldersTest, files_that_the_job_writes_in_another_tmpfs_count) {
  write_file(other_ + "/before", kOneMegabyte);
  SharedObjects objects(roots_);
  const auto first = readings(objects);
  const std::uint64_t before = objects.read(self_, at_s_);
  const base::Fd open(::open((other_ + "/cache2.bin").c_str(), O_CREAT | O_WRONLY, 0600));
  ASSERT_EQ(::posix_fallocate(open.get(), 0, static_cast<off_t>(2 * kOneMegabyte)), 0);
  write_file(other_ + "/cache1.bin", kOneMegabyte);

  const auto read = readings(objects);
  EXPECT_EQ(first.size(), 1U) << "a tmpfs that the job does not use is not recorded";
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(objects.path_of(read[1].index), other_);
  EXPECT_EQ(read[1].used_bytes, 4 * kOneMegabyte);
  EXPECT_EQ(read[1].job_bytes, 3 * kOneMegabyte) << "the second is named like the first";
  EXPECT_EQ(objects.read(self_, at_s_), before + 3 * kOneMegabyte);
  EXPECT_EQ(objects.largest_words(), "2 files like " + other_ + "/cache*.bin (3.15 MB)");
}

TEST_F(TmpfsFoldersTest, files_that_the_job_wrote_in_another_tmpfs_before_the_first_reading_count) {
  write_file(other_ + "/batch-" + std::to_string(::getpid()), 2 * kOneMegabyte);
  SharedObjects objects(roots_, base::unix_seconds() - 60);
  const auto read = readings(objects);

  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(objects.path_of(read[1].index), other_);
  EXPECT_EQ(read[1].job_bytes, 2 * kOneMegabyte);
}

TEST_F(TmpfsFoldersTest, growth_between_two_readings_is_noticed) {
  SharedObjects objects(roots_);
  (void)readings(objects);
  write_file(shm_ + "/batch1", kOneMegabyte);
  (void)readings(objects);
  EXPECT_FALSE(objects.has_moved(kOneMegabyte));
  write_file(shm_ + "/batch2", 2 * kOneMegabyte);

  EXPECT_TRUE(objects.has_moved(kOneMegabyte));
  (void)readings(objects);
  EXPECT_FALSE(objects.has_moved(kOneMegabyte));
}

TEST_F(TmpfsFoldersTest, files_of_others_in_another_tmpfs_do_not_count) {
  SharedObjects objects(roots_);
  (void)readings(objects);
  write_file(other_ + "/of-some-program", 2 * kOneMegabyte);
  write_file(other_ + "/read-by-the-job", 2 * kOneMegabyte);
  const base::Fd open(::open((other_ + "/read-by-the-job").c_str(), O_RDONLY));

  EXPECT_EQ(readings(objects).size(), 1U);
}

TEST_F(TmpfsFoldersTest, recording_named_after_the_job_is_no_file_of_the_job) {
  const pid_t job = ::fork();
  if (job == 0) {
    ::pause();
    ::_exit(0);
  }
  self_ = {job};
  SharedObjects objects(roots_);
  (void)readings(objects);
  const std::string name = other_ + "/" + std::to_string(job);
  const base::Fd recording(::open((name + ".lowtide").c_str(), O_CREAT | O_WRONLY, 0600));
  ASSERT_EQ(::posix_fallocate(recording.get(), 0, static_cast<off_t>(2 * kOneMegabyte)), 0);
  write_file(name + ".cache", kOneMegabyte);

  const auto read = readings(objects);
  ::kill(job, SIGKILL);
  ::waitpid(job, nullptr, 0);
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[1].job_bytes, kOneMegabyte);
}

TEST_F(TmpfsFoldersTest, folder_that_is_no_tmpfs_has_no_size) {
  EXPECT_FALSE(read_tmpfs_room("/proc"));
  EXPECT_FALSE(read_tmpfs_room("/no/such/folder"));
  EXPECT_FALSE(read_tmpfs_room(""));
}

}  // namespace
}  // namespace lowtide::observe

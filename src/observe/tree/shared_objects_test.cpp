#include "observe/tree/shared_objects.h"

#include <gtest/gtest.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/fd.h"
#include "base/testing/temp_folder.h"

namespace lowtide::observe {
namespace {

constexpr std::size_t kMegabyte = 1U << 20U;
constexpr double kMuchLater = 1e6;

class SharedObjectsTest : public testing::Test {
 protected:
  SharedObjectsTest() {
    roots_.shm = base::temp_folder() + "shm";
    std::filesystem::remove_all(roots_.shm);
    std::filesystem::create_directory(roots_.shm);
  }
  void write_file(const std::string& name) const {
    std::ofstream(roots_.shm + "/" + name) << std::string(kMegabyte, 'x');
  }

  procfs::Roots roots_;
  std::array<std::int64_t, 1> self_ = {::getpid()};
};

TEST_F(SharedObjectsTest, files_that_came_since_the_start_count) {
  write_file("before");
  SharedObjects objects(roots_);
  const std::uint64_t first = objects.read(self_, 0);
  write_file("since");

  EXPECT_EQ(objects.read(self_, kMuchLater), first + kMegabyte);
  std::filesystem::remove(roots_.shm + "/since");
  EXPECT_EQ(objects.read(self_, 2 * kMuchLater), first);
}

TEST_F(SharedObjectsTest, expensive_readings_are_not_repeated_at_once) {
  SharedObjects objects(roots_);
  const std::uint64_t first = objects.read(self_, 0);
  write_file("since");

  EXPECT_EQ(objects.read(self_, 0.1), first);
}

TEST_F(SharedObjectsTest, memfd_that_nobody_maps_counts_once) {
  SharedObjects objects(roots_);
  const std::uint64_t first = objects.read(self_, 0);
  const base::Fd made(::memfd_create("batch", 0));
  const base::Fd again(::dup(made.get()));
  const std::vector<char> data(kMegabyte, 'x');
  ASSERT_EQ(::write(made.get(), data.data(), data.size()), static_cast<ssize_t>(data.size()));

  EXPECT_EQ(objects.read(self_, kMuchLater), first + kMegabyte);
}

TEST_F(SharedObjectsTest, segment_that_nobody_is_attached_to_counts) {
  SharedObjects objects(roots_);
  const std::uint64_t first = objects.read(self_, 0);
  const int segment = ::shmget(IPC_PRIVATE, kMegabyte, IPC_CREAT | 0600);
  if (segment < 0) GTEST_SKIP() << "no System V shared memory here";
  void* mapped = ::shmat(segment, nullptr, 0);
  std::memset(mapped, 1, kMegabyte);
  ::shmdt(mapped);

  EXPECT_EQ(objects.read(self_, kMuchLater), first + kMegabyte);
  ::shmctl(segment, IPC_RMID, nullptr);
  EXPECT_EQ(objects.read(self_, 2 * kMuchLater), first);
}

}  // namespace
}  // namespace lowtide::observe

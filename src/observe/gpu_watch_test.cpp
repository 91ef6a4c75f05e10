#include "observe/gpu_watch.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/fd.h"

namespace lowtide::observe {
namespace {

#ifdef LOWTIDE_STAND_IN

// Ourselves; who opens /dev/full is said to use a GPU.
class GpuUsers : public testing::Test {
 protected:
  GpuUsers() {
    auto files = procfs::ProcessFiles::open({}, ::getpid());
    members_.push_back({.files = std::move(files).value(), .info = {}});
    members_.front().info.pid = ::getpid();
    members_.front().status.rss_bytes = 20U << 20U;
  }
  void grow_by(std::uint64_t bytes) { members_.front().status.rss_bytes += bytes; }
  const model::Tick& read(double at_s) {
    watch_.read(at_s, members_, tick_);
    return tick_;
  }

  std::vector<Member> members_;  // NOLINT(misc-non-private-member-variables-in-classes)
  GpuWatch watch_{{},
                  {.library = LOWTIDE_STAND_IN,
                   .device = "/dev/full"}};  // NOLINT(misc-non-private-member-variables-in-classes)

 private:
  model::Tick tick_;
};

TEST_F(GpuUsers, driver_is_left_alone_until_the_job_opens_it) {
  EXPECT_TRUE(read(0).gpus.empty());
  EXPECT_TRUE(watch_.devices().empty());

  const base::Fd opened(::open("/dev/full", O_RDWR | O_CLOEXEC));
  EXPECT_TRUE(read(2).gpus.empty()) << "a process that has not grown is not looked at again";
  grow_by(20U << 20U);
  EXPECT_FALSE(read(4).gpus.empty());
  EXPECT_EQ(watch_.devices().size(), 2U);
  EXPECT_TRUE(read(4.2).gpus.empty());
  EXPECT_FALSE(read(4.3).gpus.empty()) << "often while the run is young";
  EXPECT_FALSE(read(600).gpus.empty());
  EXPECT_TRUE(read(600.9).gpus.empty()) << "later once a second is enough";
}

TEST_F(GpuUsers, process_that_hides_its_files_may_use_one) {
  members_.front().info.pid = 1;
  const bool is_hidden = ::geteuid() != 0;

  EXPECT_EQ(read(0).gpus.empty(), !is_hidden);
}

// The first GPU of the stand-in has processes 4711, 4712 and 900, the other one has none.
TEST_F(GpuUsers, gpu_that_only_others_use_is_not_read) {
  members_.front().uses_gpu = true;
  const model::Tick& tick = read(0);

  EXPECT_EQ(tick.gpus.size(), watch_.is_unclear() ? 2U : 1U) << "in a container the pids are unclear";
  EXPECT_EQ(tick.gpus.back().index, 1);
}

TEST_F(GpuUsers, gpu_that_the_job_uses_is_read) {
  members_.front().uses_gpu = true;
  members_.front().info.pid = 4711;
  const model::Tick& tick = read(0);

  EXPECT_EQ(tick.gpus.size(), 2U);
  ASSERT_EQ(tick.gpu_processes.size(), 1U);
  EXPECT_EQ(tick.gpu_processes[0].bytes, 3ULL << 30U);
}

#endif

TEST(GpuWatch, machine_without_a_driver_is_asked_once_and_reads_nothing) {
  const base::Fd opened(::open("/dev/full", O_RDWR | O_CLOEXEC));
  GpuWatch watch({}, {.library = "libno-such-driver.so.1", .device = "/dev/full"});
  std::vector<Member> members;
  auto files = procfs::ProcessFiles::open({}, ::getpid());
  members.push_back({.files = std::move(files).value(), .info = {}});
  members.front().info.pid = ::getpid();
  model::Tick tick;

  watch.read(0, members, tick);
  watch.read(5, members, tick);

  EXPECT_TRUE(tick.gpus.empty());
  EXPECT_TRUE(watch.devices().empty());
}

}  // namespace
}  // namespace lowtide::observe

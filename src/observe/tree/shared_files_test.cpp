#include "observe/tree/shared_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/clock.h"
#include "base/fd.h"
#include "base/testing/temp_folder.h"

namespace lowtide::observe {
namespace {

constexpr std::size_t kOfJob = 1U << 20U;
// More than a process writes to its own memory when it forks.
constexpr std::size_t kOfStranger = 16 * kOfJob;

// A process of the same user that is not part of the job.
class Stranger {
 public:
  template <typename Work>
  explicit Stranger(Work work) {
    std::array<int, 2> ready{};
    EXPECT_EQ(::pipe(ready.data()), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      work();
      (void)!::write(ready[1], "x", 1);
      ::pause();
      ::_exit(0);
    }
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]);
    ::close(ready[1]);
  }
  Stranger(const Stranger&) = delete;
  Stranger(Stranger&&) = delete;
  Stranger& operator=(const Stranger&) = delete;
  Stranger& operator=(Stranger&&) = delete;
  ~Stranger() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
};

// The job is the process of the test.
class SharedFilesTest : public testing::Test {
 protected:
  SharedFilesTest() : folders_(roots()), files_(roots()) { (void)read(); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::uint64_t read() {
    return files_.read(self_, folders_.all(), read_open_files("/proc", self_, folders_.all()));
  }
  [[nodiscard]] std::uint64_t first_reading_of_job_since(double unix_s) const {
    return SharedFiles(roots(), unix_s).read(self_, folders_.all(), {});
  }
  [[nodiscard]] model::SharedGroup only_group() const {
    const auto groups = files_.groups();
    EXPECT_EQ(groups.size(), 1U);
    return groups.empty() ? model::SharedGroup() : groups.front();
  }
  void write_file(const std::string& name) const {
    const std::filesystem::path path = folder_ + "/" + name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << std::string(kOfJob, 'x');
  }
  void let_stranger_write(const std::string& name) const {
    const Stranger stranger([&] {
      const base::Fd file(::open((folder_ + "/" + name).c_str(), O_CREAT | O_WRONLY, 0600));
      (void)::posix_fallocate(file.get(), 0, kOfStranger);
    });
  }

  std::string folder_ = base::temp_folder() + "shared-files";
  std::array<std::int64_t, 1> self_ = {::getpid()};

 private:
  [[nodiscard]] procfs::Roots roots() const {
    std::filesystem::create_directory(folder_);
    procfs::Roots roots;
    roots.shm = folder_;
    return roots;
  }
  TmpfsFolders folders_;
  SharedFiles files_;
};

TEST_F(SharedFilesTest, files_that_the_job_wrote_count_in_folders_too) {
  write_file("a");
  write_file("batches/b");
  EXPECT_EQ(read(), 2 * kOfJob);
}

TEST_F(SharedFilesTest, files_that_the_job_wrote_before_the_first_call_count) {
  write_file("batch");
  EXPECT_EQ(first_reading_of_job_since(base::unix_seconds() - 60), kOfJob);
  EXPECT_EQ(first_reading_of_job_since(base::unix_seconds() + 60), 0U);
}

TEST_F(SharedFilesTest, files_that_the_job_cannot_have_written_do_not_count) {
  for (int at = 0; at < 4; ++at) let_stranger_write("frame" + std::to_string(at));
  EXPECT_EQ(read(), 0U);
}

TEST_F(SharedFilesTest, files_named_after_a_process_of_the_job_count) {
  for (int at = 0; at < 4; ++at)
    let_stranger_write("batch-" + std::to_string(::getpid()) + "-" + std::to_string(at));
  EXPECT_EQ(read(), 4 * kOfStranger);
}

TEST_F(SharedFilesTest, files_named_after_another_process_do_not_count) {
  const Stranger stranger([] {});
  for (int at = 0; at < 4; ++at)
    write_file("batches-" + std::to_string(stranger.pid()) + "/batch" + std::to_string(at));
  EXPECT_EQ(read(), 0U);
}

TEST_F(SharedFilesTest, files_named_like_one_that_another_process_has_open_do_not_count) {
  const std::string open = folder_ + "/psm_1";
  write_file("psm_1");
  write_file("psm_2");
  const Stranger stranger([&] { (void)::open(open.c_str(), O_RDONLY); });
  EXPECT_EQ(read(), 0U);
}

TEST_F(SharedFilesTest, files_named_like_one_that_the_job_has_open_count) {
  for (int at = 0; at < 4; ++at) let_stranger_write("psm_" + std::to_string(at));
  const base::Fd open(::open((folder_ + "/psm_2").c_str(), O_RDONLY));
  EXPECT_EQ(read(), 4 * kOfStranger);
}

TEST_F(SharedFilesTest, process_in_the_name_of_a_file_is_known) {
  write_file("batch-" + std::to_string(::getpid()) + "-0");
  write_file("batch-" + std::to_string(::getpid()) + "-1");
  (void)read();

  const model::SharedGroup group = only_group();
  EXPECT_EQ(group.name, folder_ + "/batch-*-*");
  EXPECT_EQ(group.count, 2U);
  EXPECT_EQ(group.link, model::SharedLink::Name);
  EXPECT_EQ(group.pid, ::getpid());
  EXPECT_EQ(group.pid_bytes, 2 * kOfJob);
}

TEST_F(SharedFilesTest, only_process_that_wrote_that_much_is_known) {
  write_file("a");
  (void)read();

  EXPECT_EQ(only_group().link, model::SharedLink::Writer);
  EXPECT_EQ(only_group().pid, ::getpid());
}

TEST_F(SharedFilesTest, removed_file_counts_as_long_as_it_is_open) {
  write_file("a");
  std::optional<base::Fd> open(::open((folder_ + "/a").c_str(), O_RDWR));
  std::filesystem::remove(folder_ + "/a");
  EXPECT_EQ(read(), kOfJob);
  EXPECT_EQ(only_group().link, model::SharedLink::Open);

  open.reset();
  EXPECT_EQ(read(), 0U);
}

TEST_F(SharedFilesTest, removed_files_no_longer_count) {
  write_file("a");
  EXPECT_EQ(read(), kOfJob);
  std::filesystem::remove(folder_ + "/a");
  EXPECT_EQ(read(), 0U);
}

}  // namespace
}  // namespace lowtide::observe

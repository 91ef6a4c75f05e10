// The real kernel: what is kept open, what a process that ends looks like.
#include "procfs/process_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <vector>

#include "base/testing/temp_folder.h"
#include "procfs/cgroup.h"
#include "procfs/meminfo.h"
#include "procfs/pid_list.h"
#include "procfs/test_machines.h"

namespace lowtide::procfs {
namespace {

// A child that waits until it may continue, and is reaped in the end.
class Child {
 public:
  template <typename Body>
  explicit Child(Body body) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(ends[1]);
      char byte = 0;
      (void)!::read(ends[0], &byte, 1);
      body();
      ::_exit(0);
    }
    ::close(ends[0]);
    go_ = base::Fd(ends[1]);
  }
  ~Child() { reap(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  Child(Child&&) = delete;
  Child& operator=(Child&&) = delete;

  [[nodiscard]] int pid() const { return pid_; }
  void go_on() { go_.reset(); }

  // Ended, but not reaped: a zombie.
  void end() {
    ::kill(pid_, SIGKILL);
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
  }
  int reap() {
    if (pid_ <= 0) {
      return 0;
    }
    ::kill(pid_, SIGKILL);
    return wait();
  }
  int wait() {
    int status = 0;
    ::waitpid(std::exchange(pid_, 0), &status, 0);
    return status;
  }

 private:
  int pid_ = 0;
  base::Fd go_;
};

// The soft limit of descriptors, for the length of a test.
class FileLimit {
 public:
  explicit FileLimit(rlim_t most) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit now{.rlim_cur = most, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &now);
  }
  ~FileLimit() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;
  FileLimit(FileLimit&&) = delete;
  FileLimit& operator=(FileLimit&&) = delete;

 private:
  rlimit before_{};
};

TEST(ProcessFiles, own_process_is_read_by_all_four_files) {
  auto files = ProcessFiles::open(Roots{}, ::getpid());
  ASSERT_TRUE(files);

  const auto stat = files.value().read_stat();
  const auto status = files.value().read_status();
  const auto statm = files.value().read_statm();
  const auto rollup = files.value().read_smaps_rollup();

  ASSERT_TRUE(stat && status && statm && rollup);
  EXPECT_EQ(stat.value().pid, ::getpid());
  EXPECT_EQ(stat.value().start_ticks, files.value().start_ticks());
  EXPECT_EQ(status.value().ppid, ::getppid());
  EXPECT_TRUE(status.value().has_memory);
  EXPECT_GT(statm.value().resident_bytes, 0U);
  EXPECT_GT(rollup.value().pss_bytes, 0U);
  EXPECT_LE(rollup.value().uss_bytes(), rollup.value().rss_bytes);
}

TEST(ProcessFiles, kept_files_tell_what_is_now_not_what_was) {
  auto files = ProcessFiles::open(Roots{}, ::getpid());
  ASSERT_TRUE(files);
  const auto before = files.value().read_status();
  constexpr std::size_t kBlockBytes = 16U << 20U;
  void* block = ::mmap(nullptr, kBlockBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(block, MAP_FAILED);
  // Touched by hand: qemu, which runs the tests for aarch64, does not pass MAP_POPULATE on.
  std::memset(block, 1, kBlockBytes);

  const auto after = files.value().read_status();
  ::munmap(block, kBlockBytes);

  ASSERT_TRUE(before && after);
  EXPECT_GE(after.value().anon_bytes, before.value().anon_bytes + kBlockBytes / 2);
  EXPECT_EQ(files.value().kept_files(), 2U);
}

TEST(ProcessFiles, warm_reads_do_not_allocate) {
  auto files = ProcessFiles::open(Roots{}, ::getpid());
  PidList pids{Roots{}};
  auto cgroup = CgroupMemory::open(roots_of("cgroup2-nested"), 77);
  ASSERT_TRUE(files && cgroup);
  ASSERT_TRUE(files.value().read_stat() && files.value().read_status() && files.value().read_statm());
  KeptText meminfo = meminfo_file(Roots{});
  ASSERT_TRUE(pids.refresh() && read_meminfo(meminfo));
  const std::uint64_t before = allocations();

  const bool read = files.value().read_stat() && files.value().read_status() && files.value().read_statm() &&
                    files.value().read_smaps_rollup() && cgroup.value().read() &&
                    cgroup.value().read_limits() && pids.refresh() && read_meminfo(meminfo) &&
                    read_stat(Roots{}, ::getpid());

  EXPECT_EQ(allocations(), before);
  EXPECT_TRUE(read);
}

TEST(ProcessFiles, process_that_does_not_exist_is_gone) {
  const auto files = ProcessFiles::open(Roots{}, 2'000'000'000);

  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().code, base::ErrorCode::Gone);
}

TEST(ProcessFiles, stranger_is_read_once_and_leaves_nothing_open) {
  const auto files =
      ProcessFiles::open(Roots{}, ::getppid());  // qemu makes up the files of the process itself
  const auto stat = read_stat(Roots{}, ::getppid());
  const auto none = read_stat(Roots{}, 2'000'000'000);

  ASSERT_TRUE(files && stat);
  EXPECT_EQ(stat.value().start_ticks, files.value().start_ticks());
  EXPECT_EQ(none.error().code, base::ErrorCode::Gone);
}

// What lets a tick ask statm whether status has moved.
TEST(ProcessFiles, statm_and_status_tell_the_same_memory) {
  auto files = ProcessFiles::open(roots_of(kRealMachine), kTrainer);
  ASSERT_TRUE(files);

  const auto status = files.value().read_status();
  const auto statm = files.value().read_statm();

  ASSERT_TRUE(status && statm);
  EXPECT_EQ(statm.value().resident_bytes, status.value().rss_bytes);
  EXPECT_EQ(statm.value().shared_bytes, status.value().file_bytes + status.value().shmem_bytes);
}

TEST(ProcessFiles, vanished_process_is_gone_for_every_file) {
  Child child([] {});
  auto files = ProcessFiles::open(Roots{}, child.pid());
  ASSERT_TRUE(files);
  ASSERT_TRUE(files.value().read_stat() && files.value().read_statm());

  child.reap();

  EXPECT_EQ(files.value().read_stat().error().code, base::ErrorCode::Gone);    // was open
  EXPECT_EQ(files.value().read_statm().error().code, base::ErrorCode::Gone);   // was open
  EXPECT_EQ(files.value().read_status().error().code, base::ErrorCode::Gone);  // was not
  EXPECT_EQ(files.value().read_smaps_rollup().error().code, base::ErrorCode::Gone);
}

TEST(ProcessFiles, zombie_has_a_status_but_no_memory) {
  Child child([] {});
  auto files = ProcessFiles::open(Roots{}, child.pid());
  ASSERT_TRUE(files);

  child.end();
  const auto status = files.value().read_status();
  const auto statm = files.value().read_statm();
  const auto rollup = files.value().read_smaps_rollup();

  ASSERT_TRUE(status && statm);
  EXPECT_EQ(status.value().state, 'Z');
  EXPECT_FALSE(status.value().has_memory);
  EXPECT_FALSE(statm.value().has_memory());
  ASSERT_FALSE(rollup);
  EXPECT_EQ(rollup.error().code, base::ErrorCode::Gone);
}

TEST(ProcessFiles, exec_gives_the_process_another_address_space_and_it_is_followed) {
  int ends[2] = {-1, -1};
  int waits[2] = {-1, -1};
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);  // its end shows that exec has happened
  ASSERT_EQ(::pipe(waits), 0);             // what cat waits for
  Child child([&] {
    ::dup2(waits[0], STDIN_FILENO);
    ::close(waits[1]);
    ::execl("/bin/cat", "cat", static_cast<char*>(nullptr));
  });
  ::close(ends[1]);
  auto files = ProcessFiles::open(Roots{}, child.pid());
  ASSERT_TRUE(files);
  const auto before = files.value().read_smaps_rollup();

  child.go_on();
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), 0);
  const auto after = files.value().read_smaps_rollup();
  const auto stat = files.value().read_stat();

  ASSERT_TRUE(before && after) << (after ? "" : after.error().message);
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat.value().comm(), "cat");
  // A descriptor from before the exec would have answered that the process is gone.
  EXPECT_GT(after.value().pss_bytes, 0U);
  for (const int fd : {ends[0], waits[0], waits[1]}) {
    ::close(fd);
  }
}

TEST(ProcessFiles, memory_of_another_user_is_denied) {
  if (::getuid() != 0) {
    GTEST_SKIP() << "needs root to become somebody else";
  }
  const int owner = ::getpid();
  Child child([owner] {
    if (::setuid(65534) != 0) {
      ::_exit(1);
    }
    auto files = ProcessFiles::open(Roots{}, owner);
    const bool open_to_all = files && files.value().read_statm() && files.value().read_status();
    const auto rollup = open_to_all ? files.value().read_smaps_rollup()
                                    : base::Result<SmapsRollup>(base::Error{base::ErrorCode::Io, "statm"});
    ::_exit(!rollup && rollup.error().code == base::ErrorCode::Denied ? 0 : 2);
  });

  child.go_on();

  EXPECT_EQ(child.wait(), 0);
}

TEST(ProcessFiles, more_processes_than_descriptors_are_read_all_the_same) {
  const FileLimit limit(100);
  std::vector<ProcessFiles> all;
  std::size_t kept = 0;

  for (int at = 0; at < 200; ++at) {
    auto files = ProcessFiles::open(Roots{}, ::getpid());
    ASSERT_TRUE(files) << files.error().message;
    ASSERT_TRUE(files.value().read_statm());
    ASSERT_TRUE(files.value().read_status());
    kept += files.value().kept_files();
    all.push_back(std::move(files).value());
  }
  for (ProcessFiles& files : all) {
    ASSERT_TRUE(files.read_stat());
    ASSERT_TRUE(files.read_smaps_rollup());
  }

  EXPECT_LT(kept, 100U);
  EXPECT_GT(kept, 10U);
  // And there is room for what others must open.
  EXPECT_TRUE(base::Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)).valid());
}

TEST(ProcessFiles, descriptors_taken_by_others_are_made_up_for_by_our_own) {
  const FileLimit limit(100);
  auto files = ProcessFiles::open(Roots{}, ::getpid());
  ASSERT_TRUE(files);
  ASSERT_TRUE(files.value().read_stat() && files.value().read_status() && files.value().read_statm());
  std::vector<base::Fd> others;
  while (true) {
    base::Fd fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!fd.valid()) {
      break;
    }
    others.push_back(std::move(fd));
  }

  const auto rollup = files.value().read_smaps_rollup();
  const auto status = files.value().read_status();

  EXPECT_TRUE(rollup) << rollup.error().message;
  EXPECT_TRUE(status);
}

TEST(ProcessFiles, low_numbers_that_others_gave_back_are_not_all_kept) {
  const FileLimit limit(40);
  std::vector<base::Fd> others;
  while (others.empty() || others.back().valid()) {
    others.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  }
  others.erase(others.begin(), others.begin() + 6);

  auto first = ProcessFiles::open(Roots{}, ::getpid());
  ASSERT_TRUE(first && first.value().read_stat() && first.value().read_status() &&
              first.value().read_statm());
  auto second = ProcessFiles::open(Roots{}, ::getpid());

  EXPECT_LE(first.value().kept_files(), 2U);
  ASSERT_TRUE(second);
  EXPECT_TRUE(second.value().read_status());
}

TEST(ProcessFiles, closed_files_are_opened_again_for_the_same_process_only) {
  Child child([] {});
  auto files = ProcessFiles::open(Roots{}, child.pid());
  ASSERT_TRUE(files);
  ASSERT_TRUE(files.value().read_status());

  files.value().close_files();
  const auto again = files.value().read_status();
  child.reap();
  const auto gone = files.value().read_status();

  EXPECT_TRUE(again);
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, base::ErrorCode::Gone);
}

TEST(ProcessFiles, pid_that_was_given_to_another_process_is_gone) {
  // The kernel's reuse of a pid, played with a folder: the same number, started later.
  const std::string proc = base::temp_folder() + "/reused_pid";
  const auto write_stat = [&](const std::string& start_ticks) {
    const base::Fd file(::open((proc + "/7/stat").c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600));
    const std::string text = "7 (a) S 1 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 " + start_ticks + " 0 0\n";
    EXPECT_EQ(::write(file.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  };
  ::mkdir(proc.c_str(), 0700);
  ::mkdir((proc + "/7").c_str(), 0700);
  write_stat("100");
  auto files = ProcessFiles::open(Roots{.proc = proc}, 7);
  ASSERT_TRUE(files);
  files.value().close_files();

  write_stat("200");
  const auto stat = files.value().read_stat();

  ASSERT_FALSE(stat);
  EXPECT_EQ(stat.error().code, base::ErrorCode::Gone);
  ::unlink((proc + "/7/stat").c_str());
  ::rmdir((proc + "/7").c_str());
  ::rmdir(proc.c_str());
}

}  // namespace
}  // namespace lowtide::procfs

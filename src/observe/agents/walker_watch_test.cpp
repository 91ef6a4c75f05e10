#include "observe/agents/walker_watch.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/testing/wait_until.h"
#include "procfs/process_files.h"
#include "wire/snapshot.h"

namespace lowtide::observe {
namespace {

// A child that has a name, and says when.
template <typename Work>
class Child {
 public:
  Child(const char* name, Work work) {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_NAME, name);
      static_cast<void>(::write(ready[1], "r", 1));
      for (;;) work();
    }
    char letter = 0;
    EXPECT_EQ(::read(ready[0], &letter, 1), 1);
    ::close(ready[0]);
    ::close(ready[1]);
  }
  ~Child() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  Child(Child&&) = delete;
  Child& operator=(Child&&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
};

// Whether it comes to its pause(), within the limit.
bool falls_asleep(pid_t pid) {
  return base::wait_until([pid] {
    const auto stat = procfs::read_stat({}, pid);
    return stat && stat.value().state == 'S';
  });
}

TEST(WalkerWatch, one_that_sleeps_for_two_seconds_is_stuck_and_can_be_ended) {
  const Child child(wire::kWalkerName, [] { ::pause(); });
  ASSERT_TRUE(falls_asleep(child.pid()));
  WalkerWatch watch(child.pid());

  EXPECT_FALSE(watch.is_stuck(10));
  EXPECT_FALSE(watch.is_stuck(11));
  EXPECT_TRUE(watch.is_stuck(12.5));
  watch.end();

  int status = 0;
  ::waitpid(child.pid(), &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
}

TEST(WalkerWatch, one_that_works_is_not) {
  const Child child(wire::kWalkerName, [] {});
  WalkerWatch watch(child.pid());

  EXPECT_FALSE(watch.is_stuck(10));
  EXPECT_FALSE(watch.is_stuck(20));
}

TEST(WalkerWatch, time_that_it_has_used_is_known_after_its_end_and_does_not_include_waiting) {
  constexpr double kEnoughS = 0.1;
  const Child working(wire::kWalkerName, [] {});
  const Child waiting(wire::kWalkerName, [] { ::pause(); });
  ASSERT_TRUE(falls_asleep(waiting.pid()));
  WalkerWatch watch(working.pid());
  WalkerWatch other(waiting.pid());

  ASSERT_TRUE(base::wait_until([&] {
    EXPECT_FALSE(watch.is_stuck(10));
    return watch.cpu_s() >= kEnoughS;
  }));
  EXPECT_FALSE(other.is_stuck(10));
  watch.end();
  ASSERT_TRUE(base::wait_until([&] { return watch.has_ended(); }));

  EXPECT_GE(watch.cpu_s(), kEnoughS);
  EXPECT_LT(other.cpu_s(), kEnoughS);
}

TEST(WalkerWatch, a_process_of_another_name_is_left_alone) {
  const Child child("python3", [] { ::pause(); });
  ASSERT_TRUE(falls_asleep(child.pid()));
  WalkerWatch watch(child.pid());

  EXPECT_FALSE(watch.is_stuck(10));
  EXPECT_FALSE(watch.is_stuck(20));
  watch.end();
  EXPECT_EQ(::kill(child.pid(), 0), 0);
  int status = 0;
  EXPECT_EQ(::waitpid(child.pid(), &status, WNOHANG), 0);
}

}  // namespace
}  // namespace lowtide::observe

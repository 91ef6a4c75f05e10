// The monitor is killed at any moment. What a commit() returned from is there.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <random>

#include "base/testing/effort.h"
#include "record/reader.h"
#include "record/test_ticks.h"

namespace lowtide::record {
namespace {

// Writes ticks until it is killed, and reports each one that is committed.
[[noreturn]] void write_for_ever(const std::string& path, int report) {
  Writer writer = make_writer(path, 5);
  for (std::int32_t at = 0;; ++at) {
    writer.add(make_tick(at, 5));
    writer.commit();
    if (::write(report, &at, sizeof(at)) != sizeof(at)) {
      std::abort();
    }
  }
}

// The last tick that the child committed before it was killed; -1 for none.
std::int32_t kill_after(const std::string& path, useconds_t microseconds) {
  std::array<int, 2> pipe_ends{};
  EXPECT_EQ(::pipe(pipe_ends.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(pipe_ends[0]);
    write_for_ever(path, pipe_ends[1]);
  }
  ::close(pipe_ends[1]);
  std::int32_t last = -1;
  std::int32_t told = 0;
  // From the first tick on: before it there is no recording to lose.
  if (::read(pipe_ends[0], &told, sizeof(told)) == sizeof(told)) {
    last = told;
  }
  ::usleep(microseconds);
  ::kill(child, SIGKILL);
  while (::read(pipe_ends[0], &told, sizeof(told)) == sizeof(told)) {
    last = told;
  }
  ::close(pipe_ends[0]);
  ::waitpid(child, nullptr, 0);
  return last;
}

TEST(Kill, no_committed_tick_is_lost_to_a_kill_at_a_random_moment) {
  const int kills = std::getenv("LOWTIDE_KILLS") != nullptr ? std::atoi(std::getenv("LOWTIDE_KILLS"))
                                                            : base::effort(200, 25);
  std::mt19937 random(20260101);
  std::uniform_int_distribution<useconds_t> moment(0, 20'000);
  for (int round = 0; round < kills; ++round) {
    const TemporaryFolder folder;
    const std::int32_t last = kill_after(folder.path("run.db"), moment(random));

    auto opened = Recording::open(folder.path("run.db"));

    ASSERT_TRUE(opened.ok()) << "round " << round << ": " << opened.error().message;
    Recording& recording = opened.value();
    std::int64_t ticks = 0;
    recording.for_each_target(
        [&](const TargetPoint& point) { ticks += static_cast<std::int64_t>(point.count); });
    // One more may be there: committed, but not told of any more.
    ASSERT_GE(ticks, last + 1) << "round " << round;
    ASSERT_LE(ticks, last + 2) << "round " << round;
    ASSERT_FALSE(recording.closed_cleanly());
    ASSERT_THAT(recording.warnings(), testing::IsEmpty());
  }
}

}  // namespace
}  // namespace lowtide::record

#include "twins.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX wants it declared here

namespace lowtide::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Waits for the end of `child`; absent = a signal ended it, or a status that is not good.
std::optional<std::uint64_t> wait_for(pid_t child, const std::vector<int>& good) {
  int status = 0;
  rusage usage{};
  if (::wait4(child, &status, 0, &usage) != child || !WIFEXITED(status)) return std::nullopt;
  if (std::find(good.begin(), good.end(), WEXITSTATUS(status)) == good.end()) return std::nullopt;
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace

std::optional<Took> time_program(const std::vector<std::string>& words, const std::vector<int>& good) {
  std::vector<std::string> owned = words;
  std::vector<char*> arguments;
  arguments.reserve(owned.size() + 1);
  for (std::string& word : owned) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions{};
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  const Clock::time_point start = Clock::now();
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return std::nullopt;
  const auto peak_bytes = wait_for(child, good);
  if (!peak_bytes) return std::nullopt;
  return Took{seconds_since(start), *peak_bytes, 0};
}

std::optional<Took> time_in_child(const std::function<std::optional<std::uint64_t>()>& work) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return std::nullopt;
  const pid_t child = ::fork();
  if (child == 0) {
    Took took;
    const Clock::time_point start = Clock::now();
    const auto answer = work();
    took.seconds = seconds_since(start);
    took.answer = answer.value_or(0);
    const bool written = ::write(ends[1], &took, sizeof took) == sizeof took;
    ::_exit(written && answer ? 0 : 1);
  }
  ::close(ends[1]);
  Took took;
  const bool read = child > 0 && ::read(ends[0], &took, sizeof took) == sizeof took;
  ::close(ends[0]);
  if (child < 0) return std::nullopt;
  const auto peak_bytes = wait_for(child, {0});
  if (!read || !peak_bytes) return std::nullopt;
  took.peak_bytes = *peak_bytes;
  return took;
}

}  // namespace lowtide::bench

#include "attach/threads.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string>
#include <system_error>

#include "procfs/stat.h"
#include "procfs/text_file.h"

namespace lowtide::attach {
namespace {

std::vector<pid_t> list_threads(pid_t pid) {
  std::vector<pid_t> tids;
  std::error_code error;
  std::filesystem::directory_iterator at("/proc/" + std::to_string(pid) + "/task", error);
  for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    const std::string name = at->path().filename();
    pid_t tid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), tid).ec == std::errc{}) {
      tids.push_back(tid);
    }
  }
  return tids;
}

// Behind the last ')': the name before it may hold anything.
char state_of(pid_t pid, pid_t tid) {
  const auto text =
      procfs::read_text("/proc/" + std::to_string(pid) + "/task/" + std::to_string(tid) + "/stat", 1024);
  const std::size_t end = text ? text.value().rfind(')') : std::string::npos;
  return end == std::string::npos || end + 2 >= text.value().size() ? 'X' : text.value()[end + 2];
}

int rank_of(pid_t pid, pid_t tid, char state) {
  return (tid == pid ? 2 : 0) + (state == 'S' ? 0 : 1);
}

}  // namespace

std::vector<pid_t> find_candidates(pid_t pid) {
  struct Candidate {
    pid_t tid;
    int rank;
  };
  // A job may have thousands; a few are enough.
  constexpr std::size_t kMost = 64;
  std::vector<Candidate> candidates;
  for (const pid_t tid : list_threads(pid)) {
    const char state = state_of(pid, tid);
    if (state == 'S' || state == 'R') {
      candidates.push_back({tid, rank_of(pid, tid, state)});
    }
    if (candidates.size() >= kMost) {
      break;
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.rank < b.rank; });
  std::vector<pid_t> tids;
  tids.reserve(candidates.size());
  for (const Candidate& candidate : candidates) {
    tids.push_back(candidate.tid);
  }
  return tids;
}

std::size_t count_threads(pid_t pid) {
  return list_threads(pid).size();
}

}  // namespace lowtide::attach

#include "observe/tree/shared_objects.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "base/units.h"
#include "observe/tree/folder_entries.h"

namespace lowtide::observe {
namespace {

constexpr std::size_t kMostCreators = 100'000;

}  // namespace

std::uint64_t SharedObjects::read(std::span<const std::int64_t> pids, double at_s) {
  constexpr double kShortestS = 1;
  constexpr double kShareOfTime = 0.001;
  if (has_begun_ && at_s < next_s_) return bytes_;
  const auto began = std::chrono::steady_clock::now();
  if (creators_.size() < kMostCreators) creators_.insert(pids.begin(), pids.end());
  bytes_ = files_.read(pids) + read_segments() + read_memfds(pids);
  largest_words_ = describe_largest();
  has_begun_ = true;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  next_s_ = at_s + std::max(kShortestS, took.count() / kShareOfTime);
  return bytes_;
}

std::string SharedObjects::describe_largest() const {
  const SharedGroup files = files_.largest_group();
  const auto words = [](const SharedGroup& group, std::string_view what) {
    return fmt::format("{} {}{} ({})", group.count, what, group.shape.empty() ? "" : " like " + group.shape,
                       base::format_bytes(static_cast<double>(group.bytes)));
  };
  const std::uint64_t most = std::max({files.bytes, segments_.bytes, memfds_.bytes});
  if (most == 0) return {};
  if (most == files.bytes) return words(files, "files");
  return most == segments_.bytes ? words(segments_, "System V segments") : words(memfds_, "memfds");
}

std::uint64_t SharedObjects::read_segments() {
  segments_ = {};
  std::ifstream file(roots_.proc + "/sysvipc/shm");
  std::string line;
  std::getline(file, line);  // the names of the columns
  std::uint64_t bytes = 0;
  while (std::getline(file, line)) {
    std::istringstream row(line);
    std::int64_t key = 0;
    std::int64_t id = 0;
    std::int64_t creator = 0;
    std::uint64_t size_bytes = 0;
    std::uint64_t resident_bytes = 0;
    std::string ignored;
    row >> key >> id >> ignored >> size_bytes >> creator;
    // last, attached, four users and groups, three times
    for (int at = 0; at < 9; ++at) row >> ignored;
    row >> resident_bytes;
    if (!row || !creators_.contains(creator)) continue;
    bytes += std::min(resident_bytes, size_bytes + 4096);
    ++segments_.count;
  }
  segments_.bytes = bytes;
  return bytes;
}

std::uint64_t SharedObjects::read_memfds(std::span<const std::int64_t> pids) {
  std::map<std::string, SharedGroup> groups;
  std::set<std::pair<dev_t, ino_t>> seen;
  std::uint64_t bytes = 0;
  for (const std::int64_t pid : pids) {
    for_each_entry(roots_.proc + "/" + std::to_string(pid) + "/fd", kMostDescriptors,
                   [&](const std::filesystem::path& path) {
                     std::error_code error;
                     const std::string target = std::filesystem::read_symlink(path, error).string();
                     if (error || !target.starts_with("/memfd:") || target.starts_with("/memfd:lowtide"))
                       return;
                     struct stat status {};
                     if (::stat(path.c_str(), &status) != 0) return;
                     if (!seen.emplace(status.st_dev, status.st_ino).second) return;
                     bytes += taken_bytes(status);
                     constexpr std::string_view kBefore = "/memfd:";
                     SharedGroup& group =
                         groups[shape_of(target.substr(kBefore.size(), target.rfind(" (") - kBefore.size()))];
                     ++group.count;
                     group.bytes += taken_bytes(status);
                   });
  }
  memfds_ = {};
  for (auto& [shape, group] : groups) {
    group.shape = shape;
    if (group.bytes > memfds_.bytes) memfds_ = group;
  }
  return bytes;
}

}  // namespace lowtide::observe

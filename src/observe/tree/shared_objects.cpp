#include "observe/tree/shared_objects.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

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
  has_begun_ = true;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  next_s_ = at_s + std::max(kShortestS, took.count() / kShareOfTime);
  return bytes_;
}

std::uint64_t SharedObjects::read_segments() const {
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
    if (row && creators_.contains(creator)) bytes += std::min(resident_bytes, size_bytes + 4096);
  }
  return bytes;
}

std::uint64_t SharedObjects::read_memfds(std::span<const std::int64_t> pids) const {
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
                     if (seen.emplace(status.st_dev, status.st_ino).second) bytes += taken_bytes(status);
                   });
  }
  return bytes;
}

}  // namespace lowtide::observe

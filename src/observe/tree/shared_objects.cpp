#include "observe/tree/shared_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/units.h"
#include "observe/cpu_time.h"

namespace lowtide::observe {
namespace {

constexpr std::size_t kMostCreators = 100'000;

using BytesOfPids = std::map<std::int64_t, std::uint64_t>;

void name_process(model::SharedGroup& group, const BytesOfPids& pids, model::SharedLink link) {
  group.processes = pids.size();
  for (const auto& [pid, bytes] : pids) {
    if (group.pid != 0 && bytes <= group.pid_bytes) continue;
    group.pid = pid;
    group.pid_bytes = bytes;
    group.link = link;
  }
}

struct Segment {
  std::int64_t creator = 0;
  std::uint64_t bytes = 0;
};

// A row of /proc/sysvipc/shm.
std::optional<Segment> parse_segment(const std::string& line) {
  std::istringstream row(line);
  Segment segment;
  std::int64_t key = 0;
  std::int64_t id = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t resident_bytes = 0;
  std::string ignored;
  row >> key >> id >> ignored >> size_bytes >> segment.creator;
  // last, attached, four users and groups, three times
  for (int at = 0; at < 9; ++at) row >> ignored;
  row >> resident_bytes;
  if (!row) return std::nullopt;
  constexpr std::uint64_t kPageBytes = 4096;
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 60U;
  segment.bytes = std::min(resident_bytes, std::min(size_bytes, kMostBytes) + kPageBytes);
  return segment;
}

}  // namespace

std::uint64_t SharedObjects::read(std::span<const std::int64_t> pids, double at_s) {
  constexpr double kShortestS = 1;
  constexpr double kShareOfTime = 0.001;
  if (has_begun_ && at_s < next_s_) return bytes_;
  const double began_s = thread_cpu_seconds();
  if (creators_.size() < kMostCreators) creators_.insert(pids.begin(), pids.end());
  folders_.update(pids);
  const std::vector<OpenFile> open = read_open_files(roots_.proc, pids, folders_.all());
  bytes_ = files_.read(pids, folders_.all(), open);
  groups_ = files_.groups();
  add_segments();
  add_memfds(open);
  order_groups();
  has_begun_ = true;
  used_bytes_.clear();
  for (const TmpfsFolder& folder : folders_.all())
    used_bytes_.push_back(read_tmpfs_room(folder.access).value_or(TmpfsRoom()).used_bytes);
  // On a busy machine the same reading takes longer, and costs no more.
  next_s_ = at_s + std::max(kShortestS, (thread_cpu_seconds() - began_s) / kShareOfTime);
  return bytes_;
}

bool SharedObjects::has_moved(std::uint64_t bytes) const {
  for (std::size_t at = 0; at < used_bytes_.size(); ++at) {
    if (files_.bytes_in(at) == 0) continue;
    const std::uint64_t now = read_tmpfs_room(folders_.all()[at].access).value_or(TmpfsRoom()).used_bytes;
    if (std::max(now, used_bytes_[at]) - std::min(now, used_bytes_[at]) > bytes) return true;
  }
  return false;
}

void SharedObjects::fill(std::vector<model::TmpfsReading>& into) const {
  into.clear();
  for (std::size_t at = 0; at < folders_.all().size(); ++at) {
    const std::uint64_t job_bytes = files_.bytes_in(at);
    if (at > 0 && job_bytes == 0) continue;
    const auto room = read_tmpfs_room(folders_.all()[at].access);
    if (!room) continue;
    into.push_back({.index = static_cast<int>(at),
                    .used_bytes = room->used_bytes,
                    .total_bytes = room->total_bytes,
                    // Read earlier: files may have been removed since.
                    .job_bytes = std::min(job_bytes, room->used_bytes)});
  }
}

const std::string& SharedObjects::path_of(int index) const {
  return folders_.all()[static_cast<std::size_t>(index)].path;
}

std::string SharedObjects::largest_words() const {
  if (groups_.empty()) return {};
  const model::SharedGroup& group = groups_.front();
  const std::string_view what = group.kind == model::SharedKind::File      ? "files"
                                : group.kind == model::SharedKind::Segment ? "System V segments"
                                                                           : "memfds";
  return fmt::format("{} {}{} ({})", group.count, what, group.name.empty() ? "" : " like " + group.name,
                     base::format_bytes(static_cast<double>(group.bytes)));
}

void SharedObjects::add_segments() {
  std::ifstream file(roots_.proc + "/sysvipc/shm");
  std::string line;
  std::getline(file, line);  // the names of the columns
  model::SharedGroup group{.kind = model::SharedKind::Segment};
  BytesOfPids pids;
  while (std::getline(file, line)) {
    const auto segment = parse_segment(line);
    if (!segment || !creators_.contains(segment->creator)) continue;
    ++group.count;
    group.bytes += segment->bytes;
    pids[segment->creator] += segment->bytes;
  }
  name_process(group, pids, model::SharedLink::Creator);
  bytes_ += group.bytes;
  groups_.push_back(std::move(group));
}

void SharedObjects::add_memfds(std::span<const OpenFile> open) {
  struct Parts {
    model::SharedGroup group;
    BytesOfPids pids;
    std::set<std::pair<dev_t, ino_t>> files;
    std::set<std::pair<std::int64_t, ino_t>> of_pids;
  };
  std::map<std::string, Parts> groups;
  for (const OpenFile& file : open) {
    if (!file.is_memfd || file.name.starts_with("/memfd:lowtide")) continue;
    Parts& parts = groups[shape_of(std::string_view(file.name).substr(kMemfd.size()))];
    if (parts.files.emplace(file.device, file.inode).second) {
      ++parts.group.count;
      parts.group.bytes += file.bytes;
    }
    if (parts.of_pids.emplace(file.pid, file.inode).second) parts.pids[file.pid] += file.bytes;
  }
  for (auto& [shape, parts] : groups) {
    parts.group.kind = model::SharedKind::Memfd;
    parts.group.name = shape;
    name_process(parts.group, parts.pids, model::SharedLink::Open);
    bytes_ += parts.group.bytes;
    groups_.push_back(std::move(parts.group));
  }
}

void SharedObjects::order_groups() {
  std::erase_if(groups_, [](const model::SharedGroup& group) { return group.bytes == 0; });
  std::stable_sort(groups_.begin(), groups_.end(),
                   [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  if (groups_.size() > kMostSharedGroups) groups_.resize(kMostSharedGroups);
  for (std::size_t at = 0; at < groups_.size(); ++at) groups_[at].place = static_cast<std::uint32_t>(at);
}

}  // namespace lowtide::observe

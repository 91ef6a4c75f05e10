#include "screen/holder_lines.h"

#include <algorithm>
#include <utility>

#include "explain/evidence/snapshots.h"
#include "show/rows/holders.h"

namespace lowtide::screen {
namespace {

HolderLine line_of(const model::HolderReport& holder, bool has_earlier) {
  HolderLine line{.pid = holder.pid,
                  .name = show::holder_name(holder.node),
                  .length = holder.node.length,
                  .bytes = model::held_bytes(holder.node)};
  if (has_earlier) line.growth_bytes = holder.growth_bytes + holder.growth_device_bytes;
  return line;
}

std::vector<HolderLine> largest_of(const model::SnapshotReport& report) {
  std::vector<HolderLine> lines;
  for (const model::HolderReport* holder : show::largest_holders(report.holders))
    lines.push_back(line_of(*holder, false));
  return lines;
}

std::vector<HolderLine> grown_of(const model::SnapshotReport& report) {
  std::vector<HolderLine> lines;
  for (const model::HolderReport& holder : report.holders) lines.push_back(line_of(holder, true));
  return lines;
}

}  // namespace

void HolderLines::add(const model::Snapshot& snapshot) {
  ++snapshots_;
  latest_s_ = snapshot.at_s;
  if (!snapshot.has_holders || snapshot.is_at_end) return;  // at exit local variables no longer exist
  const auto found = by_pid_.find(snapshot.pid);
  if (found == by_pid_.end()) {
    make_room();
    keep(by_pid_[snapshot.pid], largest_of(explain::describe_snapshot(snapshot)), snapshot.at_s);
    by_pid_[snapshot.pid].first = snapshot;
  } else {
    keep(found->second, grown_of(explain::compare_snapshots(found->second.first, snapshot)), snapshot.at_s);
  }
}

void HolderLines::keep(Known& known, std::vector<HolderLine> lines, double at_s) {
  if (lines.size() > kMostLines) lines.resize(kMostLines);
  known.lines = std::move(lines);
  known.at_s = at_s;
}

// Workers come and go: the process with the oldest snapshot is removed.
void HolderLines::make_room() {
  if (by_pid_.size() < kMostProcesses) return;
  by_pid_.erase(std::min_element(by_pid_.begin(), by_pid_.end(),
                                 [](const auto& a, const auto& b) { return a.second.at_s < b.second.at_s; }));
}

std::vector<HolderLine> HolderLines::lines() const {
  std::vector<HolderLine> lines;
  for (const auto& [pid, known] : by_pid_) lines.insert(lines.end(), known.lines.begin(), known.lines.end());
  return lines;
}

}  // namespace lowtide::screen

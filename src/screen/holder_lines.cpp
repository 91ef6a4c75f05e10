#include "screen/holder_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "explain/evidence/snapshots.h"

namespace lowtide::screen {
namespace {

constexpr std::size_t kMostNameBytes = 300;

std::string name_of(const model::HeldNode& node) {
  std::string words = fmt::format("{} ({})", node.path, node.type);
  if (node.cache == model::CacheKind::Bounded) words += ", a bounded cache";
  return base::printable(words, kMostNameBytes);
}

HolderLine line_of(const model::HolderReport& holder, bool has_earlier) {
  HolderLine line{.pid = holder.pid,
                  .name = name_of(holder.node),
                  .length = holder.node.length,
                  .bytes = model::held_bytes(holder.node)};
  if (has_earlier) line.growth_bytes = holder.growth_bytes + holder.growth_device_bytes;
  return line;
}

// What only holds one that is named too says nothing new.
std::vector<bool> passed_on(const std::vector<model::HolderReport>& holders) {
  constexpr double kExplained = 0.8;
  std::vector<bool> is_passed_on(holders.size(), false);
  for (const model::HolderReport& below : holders) {
    const auto above = below.node.holder;
    if (!above || *above >= holders.size()) continue;
    const auto all = static_cast<double>(model::held_bytes(holders[*above].node));
    if (static_cast<double>(model::held_bytes(below.node)) >= kExplained * all) is_passed_on[*above] = true;
  }
  return is_passed_on;
}

std::vector<HolderLine> largest_of(const model::SnapshotReport& report) {
  const std::vector<bool> is_passed_on = passed_on(report.holders);
  std::vector<HolderLine> lines;
  for (std::size_t at = 0; at < report.holders.size(); ++at) {
    if (!is_passed_on[at]) lines.push_back(line_of(report.holders[at], false));
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const HolderLine& a, const HolderLine& b) { return a.bytes > b.bytes; });
  return lines;
}

std::vector<HolderLine> grown_of(const model::SnapshotReport& report) {
  std::vector<HolderLine> lines;
  for (const model::HolderReport& holder : report.holders) lines.push_back(line_of(holder, true));
  return lines;
}

}  // namespace

void HolderLines::add(const model::Snapshot& snapshot) {
  ++looks_;
  latest_s_ = snapshot.at_s;
  if (!snapshot.has_holders || snapshot.is_at_end) return;  // at the end the variables of functions are gone
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

// Workers come and go: the one that was looked into longest ago makes room.
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

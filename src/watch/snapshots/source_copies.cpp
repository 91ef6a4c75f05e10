#include "watch/snapshots/source_copies.h"

#include <algorithm>

#include "explain/settle/sites/own_frames.h"
#include "observe/source_text.h"

namespace lowtide::watch {
namespace {

constexpr std::size_t kMostFiles = 64;
constexpr std::size_t kMostBytes = 4U << 20U;
// A process that named the file may have ended. Another one can have it.
constexpr int kTries = 4;
// The start of a process is known to a clock tick, that of the clock less well.
constexpr double kClockErrorS = 1;

double earliest_start_s(const observe::ProcessTree& tree) {
  double earliest_s = 0;
  for (const observe::Member& member : tree.members())
    earliest_s = std::min(earliest_s, member.info.started_s);
  return earliest_s;
}

}  // namespace

void SourceCopies::tick(const observe::Monitor& monitor, std::span<const model::Snapshot> snapshots,
                        double now_unix_s, double at_s, record::Writer& writer) {
  const observe::AgentRegistry* const agents = monitor.agents();
  if (agents == nullptr || (agents->begun().empty() && snapshots.empty())) return;
  const auto& members = monitor.tree().members();
  // A worker that was forked has read its files when its parent read them.
  const double not_after_unix_s = now_unix_s - at_s + earliest_start_s(monitor.tree()) + kClockErrorS;
  for (const model::SiteInfo& site : agents->begun()) {
    const auto member = std::find_if(members.begin(), members.end(),
                                     [&](const auto& each) { return each.info.id == site.process; });
    if (member == members.end() || site.frames.empty()) continue;
    const std::size_t act_on = explain::frame_to_act_on(site.frames);
    for (std::size_t at = 0; at < site.frames.size(); ++at) {
      const model::Frame& frame = site.frames[at];
      if (at != act_on && !explain::is_own_python(frame)) continue;
      copy({frame.file, static_cast<std::int32_t>(member->info.pid), not_after_unix_s}, writer);
    }
  }
  for (const model::Snapshot& snapshot : snapshots) {
    for (const model::HeldNode& node : snapshot.nodes) {
      if (!explain::is_own_python({.language = model::FrameLanguage::Python, .file = node.file})) continue;
      copy({node.file, static_cast<std::int32_t>(snapshot.pid), not_after_unix_s}, writer);
    }
  }
}

void SourceCopies::copy(const Need& need, record::Writer& writer) {
  if (!need.path.ends_with(".py")) return;
  const auto known = tries_left_.find(need.path);
  if (known == tries_left_.end() && tries_left_.size() == kMostFiles) return;
  int& tries_left =
      known != tries_left_.end() ? known->second : tries_left_.emplace(need.path, kTries).first->second;
  if (tries_left == 0) return;
  --tries_left;
  auto text = observe::read_source({need.pid, need.path, folder_, need.not_after_unix_s});
  if (!text || copied_bytes_ + text->size() > kMostBytes) return;
  tries_left = 0;
  copied_bytes_ += text->size();
  writer.add_source({need.path, std::move(*text)});
}

}  // namespace lowtide::watch

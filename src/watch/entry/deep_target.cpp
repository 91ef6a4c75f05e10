#include "watch/entry/deep_target.h"

namespace lowtide::watch {

pid_t choose_deep_target(observe::ProcessTree& tree, pid_t pid) {
  // A minute later by the tree's clock, which leaves out processes that have only just begun.
  constexpr double kLaterS = 60;
  tree.refresh(kLaterS);
  const observe::Member* chosen = tree.find(pid);
  if (chosen == nullptr || chosen->info.role != model::ProcessRole::Wrapper) return pid;
  for (const observe::Member& member : tree.members()) {
    if (member.status.anon_bytes > chosen->status.anon_bytes) chosen = &member;
  }
  return static_cast<pid_t>(chosen->info.pid);
}

}  // namespace lowtide::watch

#include "observe/tree/worker_slots.h"

#include <algorithm>

namespace lowtide::observe {

WorkerSlots::Place WorkerSlots::take(model::ProcessId id, std::optional<model::ProcessId> parent,
                                     model::ProcessRole role, const std::string& kind) {
  std::size_t parent_lane = 0;
  if (parent) {
    const auto found = living_.find(*parent);
    if (found != living_.end()) parent_lane = found->second.lane;
  }
  const Key key{parent_lane, role, kind};
  std::vector<Slot>& slots = slots_[key];
  auto slot = std::find_if(slots.begin(), slots.end(), [](const Slot& s) { return !s.taken; });
  Place place;
  if (slot == slots.end()) {
    slots.push_back({.lane = ++lanes_, .taken = true, .latest = id});
    slot = slots.end() - 1;
  } else {
    place.continues = slot->latest;
    slot->taken = true;
    slot->latest = id;
  }
  const auto number = static_cast<std::size_t>(slot - slots.begin());
  place.number = static_cast<int>(number);
  living_[id] = {.lane = slot->lane, .key = key, .number = number};
  return place;
}

void WorkerSlots::leave(model::ProcessId id) {
  const auto found = living_.find(id);
  if (found == living_.end()) return;
  slots_[found->second.key][found->second.number].taken = false;
  living_.erase(found);
}

}  // namespace lowtide::observe

// How one variable changed from snapshot to snapshot.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "explain/evidence/evidence.h"
#include "model/snapshot.h"
#include "model/trace.h"

namespace lowtide::explain {

// The snapshots of one process, oldest first.
using Snapshots = std::vector<const model::Snapshot*>;

// By its name, or by its place: a loop that runs over a list at that moment holds it by another name.
const model::HeldNode* find_node(const model::Snapshot& snapshot, const model::HeldNode& wanted);

// Gives it the name that it has in most snapshots: a loop that runs over a list holds it by another name.
void use_usual_name(const Snapshots& snapshots, model::HeldNode& wanted);

struct HeldMoves {
  std::size_t gains = 0;  // between one snapshot and the next
  std::size_t losses = 0;
};
HeldMoves count_moves(const Snapshots& snapshots, const model::HeldNode& wanted);

// The first and the last snapshot that list it; null where none does.
std::pair<const model::Snapshot*, const model::Snapshot*> listed_in(const Snapshots& snapshots,
                                                                    const model::HeldNode& wanted);

// What it kept in each snapshot; 0 where it did not exist or was too small to be listed.
std::vector<model::CounterPoint> holder_history(const Snapshots& snapshots, const model::HeldNode& wanted);

// It gains fewer elements from snapshot to snapshot, per step where steps are known: a job that gets slower
// is no sign of an end.
bool gains_ever_less(const Snapshots& snapshots, const model::HeldNode& wanted, const Evidence& evidence);

// It kept the same in the last two snapshots.
bool stands_still(const std::vector<model::CounterPoint>& curve);

}  // namespace lowtide::explain

// How one variable fared from look to look.
#pragma once

#include <cstddef>
#include <vector>

#include "explain/evidence/evidence.h"
#include "model/snapshot.h"
#include "model/trace.h"

namespace lowtide::explain {

// Into one process, in the order of time.
using Looks = std::vector<const model::Snapshot*>;

// Gives it the name that most looks have for it: a loop that runs over a list holds it by another.
void use_usual_name(const Looks& looks, model::HeldNode& wanted);

struct HeldMoves {
  std::size_t gains = 0;  // between one look and the next
  std::size_t losses = 0;
};
HeldMoves count_moves(const Looks& looks, const model::HeldNode& wanted);

// What it kept at each look; nothing where it was not there, or too small to be told.
std::vector<model::CounterPoint> holder_history(const Looks& looks, const model::HeldNode& wanted);

// It gains fewer things from look to look, by step where steps are known: a job that gets slower is no sign
// of an end.
bool gains_ever_less(const Looks& looks, const model::HeldNode& wanted, const Evidence& evidence);

// At the last two looks it kept the same.
bool stands_still(const std::vector<model::CounterPoint>& course);

}  // namespace lowtide::explain

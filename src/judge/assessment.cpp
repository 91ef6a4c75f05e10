#include "judge/assessment.h"

#include <algorithm>

namespace lowtide::judge {
namespace {

using model::VerdictKind;

Assessment assess_one(const Generation& generation) {
  Assessment out;
  out.evidence = gather(generation);
  out.decision = decide(out.evidence);
  return out;
}

bool grows_steadily(const Evidence& e) {
  return e.points >= 12 && e.whole.growing && !e.slowing;
}

}  // namespace

Assessment assess(std::span<const Generation> generations) {
  Assessment latest = assess_one(generations.back());
  if (generations.size() < 2 || latest.decision.kind != VerdictKind::Inconclusive) return latest;

  const Generation& before = generations[generations.size() - 2];
  latest.previous_samples = before.samples();
  Assessment previous = assess_one(before);
  const auto samples = static_cast<double>(generations.back().samples());
  if (previous.decision.kind != VerdictKind::Inconclusive &&
      samples < std::max(12.0, 0.15 * static_cast<double>(before.samples()))) {
    previous.of_previous = true;
    return previous;
  }
  // What grew in each of two lives, from the start and without a pause, is no warm-up that was cut off twice.
  const bool previous_grew =
      previous.decision.kind == VerdictKind::Leak ||
      (previous.decision.kind == VerdictKind::Inconclusive && grows_steadily(previous.evidence) &&
       previous.evidence.span + latest.evidence.span >= 400 &&
       previous.evidence.points + latest.evidence.points > 60);
  if (grows_steadily(latest.evidence) && previous_grew) {
    latest.decision.kind = VerdictKind::Leak;
    latest.decision.doubt = Doubt::None;
    latest.decision.regime = latest.evidence.whole;
    latest.grew_in_both = true;
  }
  return latest;
}

}  // namespace lowtide::judge

// From evidence to a kind, or to the doubt that stands in its way.
#pragma once

#include <optional>

#include "judge/evidence.h"
#include "judge/settling.h"
#include "model/verdict.h"

namespace lowtide::judge {

// Why a verdict is inconclusive.
enum class Doubt {
  None,
  TooFew,             // samples
  NoProgress,         // neither steps nor time advance
  SlowingDown,        // still growing, ever more slowly
  FlatTooBriefly,     // it stopped, but not long ago
  PausedBefore,       // stairs: it has paused like this before and then rose
  RisingAgain,        // back in its range, but rising
  Leaving,            // stands above everything it settled at, since shortly
  GrowingTooBriefly,  // a new growth, not long enough
  MayBeWarmup,        // grows since the start, no longer than warm-ups do
  Creeping,           // rises beyond doubt, but by too little to matter yet
  Undecided           // the slope is neither surely zero nor surely more
};

struct Decision {
  model::VerdictKind kind = model::VerdictKind::Inconclusive;
  Doubt doubt = Doubt::None;
  Regime regime;                   // the growth in question
  std::optional<double> log_odds;  // leak : warm-up, where something grows
  std::optional<Settled> settled;  // warmup, spikes, stable
};

Decision decide(const Evidence& evidence);

}  // namespace lowtide::judge

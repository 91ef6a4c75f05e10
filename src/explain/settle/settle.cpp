#include "explain/settle/settle.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

namespace lowtide::explain {
namespace {

using model::Verdict;
using model::VerdictKind;

enum class When { Always, Open, LeansToLeak, NotFlat, MayLeak, LeakOrOpen, MayHaveEnded };
enum class Effect { Leak, NotYetLeak, MayBeLeak, MayBeWarmup, Open, TooEarly, Flat, Same };
enum class Reason { Replace, Append };

struct Row {
  ArgumentKind rule;
  int order;  // tens: the stage. Of one source the first argument of a stage that counts is taken.
  When when;  // the verdict before this row
  Effect outcome;
  Reason reason;
  const char* basis;  // null: none is added
  double confidence;  // 0: that of the argument, else it stays
};

// Rows of the same order are tried in the order in which the arguments are given. The confidences are held to
// what is measured on recordings with a known truth (docs/design/verdict.md, "Settled verdicts").
// clang-format off
constexpr Row kTable[] = {
    {ArgumentKind::RunGoesOn,          5, When::MayLeak,     Effect::NotYetLeak,  Reason::Append,  nullptr,     0},
    {ArgumentKind::TooFewReadings,    10, When::Always,      Effect::TooEarly,    Reason::Replace, nullptr,     0},
    {ArgumentKind::NotWatchedToEnd,   11, When::Always,      Effect::Open,        Reason::Replace, nullptr,     0},
    {ArgumentKind::SmallGrowth,       12, When::LeakOrOpen,  Effect::Flat,        Reason::Replace, "processes", 0},
    {ArgumentKind::ProcessCount,      20, When::LeansToLeak, Effect::Leak,        Reason::Replace, "processes", 0.93},
    {ArgumentKind::LeakBesideReplaced, 20, When::LeakOrOpen, Effect::Leak,        Reason::Replace, "processes", 0},
    {ArgumentKind::Sites,             21, When::NotFlat,     Effect::Leak,        Reason::Replace, "sites",     0},
    {ArgumentKind::FirstTouch,        22, When::LeakOrOpen,  Effect::MayBeWarmup, Reason::Replace, "sites",     0.8},
    {ArgumentKind::Retention,         22, When::LeansToLeak, Effect::Open,        Reason::Append,  "sites",     0},
    {ArgumentKind::LeakingProcess,    23, When::Open,        Effect::Leak,        Reason::Replace, "processes", 0},
    {ArgumentKind::CopyOnWrite,       24, When::LeansToLeak, Effect::Leak,        Reason::Replace, "processes", 0.93},
    {ArgumentKind::NoProcessGrows,    25, When::LeansToLeak, Effect::Open,        Reason::Append,  "processes", 0},
    {ArgumentKind::CacheStillFilling, 30, When::LeakOrOpen,  Effect::MayBeWarmup, Reason::Replace, "holders",   0.8},
    {ArgumentKind::HolderSlows,       30, When::Open,        Effect::MayBeWarmup, Reason::Replace, "holders",   0.6},
    {ArgumentKind::HolderKeeps,       30, When::Open,        Effect::Leak,        Reason::Replace, "holders",   0.92},
    {ArgumentKind::DeviceHolderKeeps, 30, When::LeansToLeak, Effect::Leak,        Reason::Replace, "holders",   0.92},
    {ArgumentKind::NextStair,         35, When::MayHaveEnded, Effect::MayBeLeak, Reason::Replace, nullptr,     0},
    {ArgumentKind::TreeIsFlat,        40, When::MayLeak,     Effect::Open,        Reason::Append,  nullptr,     0},
    {ArgumentKind::TreeLeaks,         40, When::Always,      Effect::Open,        Reason::Append,  nullptr,     0},
    {ArgumentKind::NoReading,         50, When::Always,      Effect::Same,        Reason::Replace, nullptr,     0},
    {ArgumentKind::OtherSeries,       60, When::Always,      Effect::Same,        Reason::Append,  nullptr,     0},
};
// clang-format on

const Row& row_of(const Argument& argument) {
  return *std::find_if(std::begin(kTable), std::end(kTable) - 1,
                       [&](const Row& row) { return row.rule == argument.rule; });
}

bool counts(const Row& row, const Argument& argument, const Verdict& verdict) {
  const bool open = verdict.kind == VerdictKind::Inconclusive;
  if (model::leans_to(verdict, VerdictKind::Warmup) && !argument.beats_warmup) return false;
  switch (row.when) {
    case When::Always:
      return true;
    case When::Open:
      return open;
    case When::LeansToLeak:
      return model::leans_to_leak(verdict);
    case When::NotFlat:
      return open && (!verdict.lean || model::leans_to_leak(verdict) ||
                      model::leans_to(verdict, VerdictKind::Warmup));
    case When::MayLeak:
      return model::may_leak(verdict);
    case When::LeakOrOpen:
      return open || verdict.kind == VerdictKind::Leak;
    case When::MayHaveEnded:
      return !model::may_leak(verdict);
  }
  return false;
}

// What the verdict had from its series and no longer holds is taken away with the old kind.
void apply(Effect outcome, const Argument& argument, Verdict& verdict) {
  switch (outcome) {
    case Effect::Leak:
      verdict.kind = VerdictKind::Leak;
      verdict.needs.reset();
      verdict.lean.reset();
      verdict.warmup_end.reset();
      verdict.plateau_bytes.reset();
      if (argument.of_process) {
        verdict.axis = argument.of_process->axis;
        verdict.rate = argument.of_process->rate;
      }
      if (verdict.rate && !(verdict.rate->bytes > 0)) {
        const bool rises = argument.of_site && argument.of_site->rate && argument.of_site->rate->bytes > 0;
        verdict.rate = rises ? argument.of_site->rate : std::nullopt;
        if (rises) verdict.axis = argument.of_site->axis;
      }
      return;
    case Effect::NotYetLeak:
      if (verdict.kind == VerdictKind::Leak) {
        verdict.lean = model::Lean{VerdictKind::Leak, verdict.confidence};
        verdict.confidence = 1 - verdict.confidence;
        verdict.kind = VerdictKind::Inconclusive;
      }
      verdict.needs = argument.needs;
      return;
    case Effect::MayBeLeak:
      verdict.kind = VerdictKind::Inconclusive;
      verdict.lean = model::Lean{VerdictKind::Leak, verdict.confidence};
      verdict.warmup_end.reset();
      verdict.plateau_bytes.reset();
      verdict.needs = argument.needs;
      return;
    case Effect::MayBeWarmup:
      verdict.kind = VerdictKind::Inconclusive;
      verdict.lean = model::Lean{VerdictKind::Warmup, verdict.confidence};
      verdict.needs = argument.needs;
      return;
    case Effect::Open:
      verdict.kind = VerdictKind::Inconclusive;
      verdict.lean.reset();
      if (!verdict.needs) verdict.needs = argument.needs;
      return;
    case Effect::TooEarly:
      verdict.kind = VerdictKind::Inconclusive;
      verdict.lean.reset();
      verdict.rate.reset();
      verdict.warmup_end.reset();
      verdict.plateau_bytes.reset();
      verdict.spike_bytes.reset();
      verdict.needs = argument.needs;
      return;
    case Effect::Flat:
      verdict.kind = argument.kind.value_or(VerdictKind::Stable);
      verdict.plateau_bytes = verdict.floor.last_bytes;
      verdict.rate.reset();
      verdict.needs.reset();
      verdict.lean.reset();
      return;
    case Effect::Same:
      if (argument.needs) verdict.needs = argument.needs;
      return;
  }
}

void apply(const Row& row, const Argument& argument, Verdict& verdict) {
  if (row.confidence > 0) verdict.confidence = row.confidence;
  if (argument.confidence) verdict.confidence = *argument.confidence;
  apply(row.outcome, argument, verdict);
  if (row.reason == Reason::Replace) {
    verdict.reason.clear();
    verdict.is_reason_on_floor = argument.is_reason_on_floor;
  }
  verdict.reason += argument.reason;
  if (row.basis != nullptr) verdict.basis.emplace_back(row.basis);
}

}  // namespace

Verdict settle(Verdict series, std::span<const Argument> arguments) {
  std::vector<const Argument*> ordered;
  for (const Argument& argument : arguments) ordered.push_back(&argument);
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const Argument* a, const Argument* b) { return row_of(*a).order < row_of(*b).order; });
  std::set<std::pair<int, std::int64_t>> decided;
  for (const Argument* argument : ordered) {
    const Row& row = row_of(*argument);
    const std::pair stage(row.order / 10, argument->source_pid);
    if (decided.contains(stage) || !counts(row, *argument, series)) continue;
    apply(row, *argument, series);
    if (row.outcome != Effect::Same) decided.insert(stage);
  }
  return series;
}

Verdict settle(Verdict series, const std::optional<Argument>& argument) {
  if (!argument) return series;
  return settle(std::move(series), std::span(&*argument, 1));
}

double confidence_of_samples(double samples, bool has_steps) {
  const double by_samples = 0.97 - 0.5 / std::sqrt(std::max(1.0, samples));
  return has_steps ? by_samples : by_samples - 0.03;
}

}  // namespace lowtide::explain

#include "judge/wording.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/units.h"

namespace lowtide::judge {
namespace {

using base::format_bytes;
using base::format_number;
using base::format_seconds;
using model::Axis;
using model::NeedsKind;
using model::VerdictKind;

// What one unit of the axis is called, where the axis is not time.
std::string_view unit(const Evidence& e) {
  return e.curve.counted ? "reading" : "step";
}

// The reason of a verdict on the floor: what the floor does.
Reason floor_that(const std::string& does) {
  return {"floor " + does, true};
}

std::string length(const Evidence& e, double span) {
  if (e.curve.axis == Axis::Time) return format_seconds(span);
  return fmt::format("{} {}{}", format_number(span), unit(e), std::round(span) == 1 ? "" : "s");
}

std::string place(const Evidence& e, double x) {
  return e.curve.axis == Axis::Step ? fmt::format("{} {}", unit(e), format_number(x))
                                    : fmt::format("{} into the run", length(e, x));
}

// Per second, minute or hour, whichever gives a number that a person can picture.
std::string pace(const Evidence& e, double slope) {
  if (e.curve.axis == Axis::Step) return fmt::format("{} per {}", format_bytes(slope), unit(e));
  if (std::abs(slope) >= base::kMB) return format_bytes(slope) + " per second";
  if (std::abs(slope) * 60 >= base::kMB) return format_bytes(slope * 60) + " per minute";
  return format_bytes(slope * 3600) + " per hour";
}

// "rose 11.5 MB", "fell 11.5 MB": no amount has a sign.
std::string moved(double bytes) {
  return fmt::format("{} {}", bytes < 0 ? "fell" : "rose", format_bytes(std::abs(bytes)));
}

// The same per step, second, minute or hour.
std::string moved_at(const Evidence& e, double slope) {
  return fmt::format("{} {}", slope < 0 ? "fell" : "rose", pace(e, std::abs(slope)));
}

std::string spikes_recover(const Evidence& e) {
  if (e.spikes == 0) return "";
  if (e.spikes == 1) return fmt::format("; a spike of {} recovered", format_bytes(e.spike_bytes));
  return fmt::format("; spikes of {} recover", format_bytes(e.spike_bytes));
}

Reason leak_reason(const Assessment& a) {
  const Evidence& e = a.evidence;
  const Regime& r = a.decision.regime;
  if (a.grew_in_both)
    return floor_that(fmt::format("rises {} in this run and rose in the run before it{}",
                                  pace(e, r.slope_now), spikes_recover(e)));
  const bool faster = r.slope_now > 1.3 * r.slope;
  return floor_that(
      fmt::format("{} over the last {}{}{}", faster ? moved(r.slope * r.span) : moved_at(e, r.slope_now),
                  length(e, r.span), faster ? fmt::format(", ever faster: {} now", pace(e, r.slope_now)) : "",
                  spikes_recover(e)));
}

Reason warmup_reason(const Assessment& a) {
  const Evidence& e = a.evidence;
  const Settled& settled = *a.decision.settled;
  const double end = e.curve.x[*settled.warmup_end];
  return floor_that(fmt::format("{} until {} and has stayed at {} for {} since{}", moved(settled.rise),
                                place(e, end), format_bytes(settled.plateau),
                                length(e, e.curve.x.back() - end), spikes_recover(e)));
}

Reason flat_reason(const Assessment& a, const model::Floor& floor,
                   const std::optional<model::Levels>& levels) {
  const Evidence& e = a.evidence;
  const Settled& settled = *a.decision.settled;
  if (settled.kind == VerdictKind::Spikes) {
    return floor_that(fmt::format("is flat at {} over {} under {} spikes of about {} that recover",
                                  format_bytes(settled.plateau), length(e, e.span), e.spikes,
                                  format_bytes(e.spike_bytes)));
  }
  if (levels) {
    return {fmt::format("memory alternates between {} and {} over {}, without a trend",
                        format_bytes(static_cast<double>(levels->low_bytes)),
                        format_bytes(static_cast<double>(levels->high_bytes)), length(e, e.span))};
  }
  const double last = static_cast<double>(floor.last_bytes);
  const double fallen = static_cast<double>(floor.first_bytes) - last;
  if (fallen > model::kFallen * last) {
    return floor_that(
        fmt::format("fell {} to {} over {}", format_bytes(fallen), format_bytes(last), length(e, e.span)));
  }
  return floor_that(fmt::format("is flat at {} over {}", format_bytes(settled.plateau), length(e, e.span)));
}

bool clearly_rising(const Regime& r) {
  return r.slope > 4 * r.standard_error && r.span > 0;
}

// An interval that is far from zero does not leave open whether the floor rises. Then the doubt is another
// one.
Reason undecided_reason(const Evidence& e, const Regime& r) {
  const double low = r.slope - 2 * r.standard_error;
  const double high = r.slope + 2 * r.standard_error;
  if (low <= 0 && !r.certain)
    return {fmt::format("the floor changes by {} to {}, which may be flat or rising", pace(e, low),
                        pace(e, high))};
  return floor_that(fmt::format(
      "{} over {} ({}), {}", moved(r.slope * r.span), length(e, r.span), pace(e, r.slope),
      r.certain ? "too small a rise for a verdict" : "too short a time to exclude a slow fluctuation"));
}

Reason doubt_reason(const Assessment& a) {
  const Evidence& e = a.evidence;
  const Regime& r = a.decision.regime;
  switch (a.decision.doubt) {
    case Doubt::TooFew:
      if (clearly_rising(r)) {
        return floor_that(
            fmt::format("{} for {}, but {} readings are too few to distinguish a leak from a warm-up",
                        moved_at(e, r.slope_now), length(e, r.span), e.points));
      }
      return {fmt::format("only {} reading{}{}", e.points, e.points == 1 ? "" : "s",
                          e.first > 0 ? " after the start of the process" : "")};
    case Doubt::NoProgress:
      return {"neither steps nor time advance between readings"};
    case Doubt::SlowingDown:
      return {fmt::format("growth is slowing down; the floor {} over the last third",
                          moved(e.last_third.slope * e.last_third.span))};
    case Doubt::FlatTooBriefly:
      return {fmt::format("the floor rose and has been flat only for the last {} of {}", length(e, r.span),
                          length(e, e.span))};
    case Doubt::PausedBefore:
      return {fmt::format("flat now, but it paused and rose again {} times before", e.rises)};
    case Doubt::RisingAgain:
      return {fmt::format("within the range where it was before, but rising again by {} over the last third",
                          format_bytes(e.last_third.slope * e.last_third.span))};
    case Doubt::Leaving:
      return {fmt::format("flat for most of {}, and above that level at the end", length(e, e.span))};
    case Doubt::GrowingTooBriefly:
      return {fmt::format("rising {} since {}, which is too short for a verdict", pace(e, r.slope_now),
                          place(e, e.curve.x[r.start]))};
    case Doubt::MayBeWarmup:
      return floor_that(
          fmt::format("{} for {} since the start; too early to distinguish a leak from a warm-up",
                      moved_at(e, r.slope_now), length(e, r.span)));
    case Doubt::Creeping:
      return floor_that(fmt::format("{} over {}, slowly but steadily ({})", moved(r.slope * r.span),
                                    length(e, r.span), pace(e, r.slope)));
    case Doubt::Undecided:
      return undecided_reason(e, r);
    case Doubt::None:
      break;
  }
  return {};
}

// Rounded up to a figure that does not pretend to be exact.
double rounded_up(double span) {
  const double digit = std::pow(10.0, std::floor(std::log10(std::max(1.0, span))));
  return std::ceil(2 * span / digit) / 2 * digit;
}

model::Needs more(const Evidence& e, double span) {
  const bool is_time = e.curve.axis == Axis::Time;
  return {.kind = is_time           ? NeedsKind::MoreSeconds
                  : e.curve.counted ? NeedsKind::MoreReadings
                                    : NeedsKind::MoreSteps,
          .amount = rounded_up(std::max(span, 1e-3))};
}

}  // namespace

std::optional<model::Levels> find_levels(const Assessment& a) {
  const Evidence& e = a.evidence;
  if (a.decision.kind != VerdictKind::Stable || !a.decision.settled || e.points < kFewestToJudge)
    return std::nullopt;
  std::vector<double> all;
  for (std::size_t at = e.first; at < e.curve.size(); ++at) {
    all.push_back(e.curve.low[at]);
    all.push_back(e.curve.high[at]);
  }
  std::sort(all.begin(), all.end());
  std::size_t upper = 0;  // where the widest gap ends
  double gap = 0;
  for (std::size_t at = 1; at < all.size(); ++at) {
    if (all[at] - all[at - 1] > gap) {
      gap = all[at] - all[at - 1];
      upper = at;
    }
  }
  // Most of the range is never touched, a fifth of the readings at least is on either side of it, and
  // what the series has settled to lies where it never is.
  const double plateau = a.decision.settled->plateau;
  if (gap < 0.5 * (all.back() - all.front()) || gap < model::kFallen * plateau) return std::nullopt;
  if (5 * upper < all.size() || 5 * (all.size() - upper) < all.size()) return std::nullopt;
  if (plateau < all[upper - 1] + 0.1 * gap || plateau > all[upper] - 0.1 * gap) return std::nullopt;
  return model::Levels{base::to_bytes(all[upper / 2]), base::to_bytes(all[upper + (all.size() - upper) / 2])};
}

Reason reason(const Assessment& a, const model::Floor& floor, const std::optional<model::Levels>& levels) {
  const auto of_which = [&](const Reason& found) {
    return a.of_previous ? Reason{"before the latest fall of memory: " + found.text} : found;
  };
  switch (a.decision.kind) {
    case VerdictKind::Leak:
      return of_which(leak_reason(a));
    case VerdictKind::Warmup:
      return of_which(warmup_reason(a));
    case VerdictKind::Spikes:
    case VerdictKind::Stable:
      return of_which(flat_reason(a, floor, levels));
    case VerdictKind::Inconclusive:
      break;
  }
  return doubt_reason(a);
}

model::Needs longer_run() {
  return {.kind = NeedsKind::LongerRun, .words = "; how long cannot be estimated yet"};
}

model::Needs needs(const Assessment& a, const Requirement& required) {
  const Evidence& e = a.evidence;
  if (a.decision.doubt == Doubt::NoProgress) return {.words = "readings with a step or a time that advances"};
  if (e.floors.empty())
    return {.kind = NeedsKind::Readings, .amount = kFewestToJudge, .words = ", better 30"};
  if (const std::optional<double> missing = find_missing(a, required)) return more(e, *missing);
  if (a.decision.doubt == Doubt::SlowingDown)
    return {.kind = NeedsKind::LongerRun, .words = ", to see whether the growth stops"};
  return longer_run();
}

}  // namespace lowtide::judge

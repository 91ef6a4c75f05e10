// The description of a verdict and of a forecast: every document has them.
#pragma once

#include <optional>

#include "model/gate.h"
#include "model/verdict.h"
#include "show/json/fields.h"
#include "show/json/formats.h"

namespace lowtide::show {

struct ShownRate {
  model::Rate rate;
  model::Axis axis = model::Axis::Time;
};

struct ShownFloor {
  std::optional<std::uint64_t> first_bytes;
  std::optional<std::uint64_t> last_bytes;
};

constexpr auto describe(Tag<model::Range>) {
  using model::Range;
  return object("Range", "an estimate with its 95% interval",
                field_as<FiniteNumber, &Range::estimate>("estimate", "the most likely value"),
                field_as<FiniteNumber, &Range::low>("low", "the lower end of the interval"),
                field_as<FiniteNumber, &Range::high>("high", "its upper end; null: there is none"));
}

constexpr auto describe(Tag<ShownRate>) {
  using model::Rate;
  return object(
      "Rate", "growth of the floor with its 95% interval; for a warm-up: while it rose",
      field_as<WholeBytes, &ShownRate::rate, &Rate::bytes>("bytes", "growth per step or second"),
      field("per", "`step` also where the input has neither steps nor times: then it is per reading",
            [](const ShownRate& shown) {
              return shown.axis == model::Axis::Step ? model::RatePer::Step : model::RatePer::Second;
            }),
      field_as<WholeBytes, &ShownRate::rate, &Rate::low>("low", "the lower end of the interval"),
      field_as<WholeBytes, &ShownRate::rate, &Rate::high>("high", "its upper end"));
}

constexpr auto describe(Tag<ShownFloor>) {
  return object("Floor", "the level that memory falls back to; null without readings",
                field<&ShownFloor::first_bytes>("first_bytes", "at the beginning"),
                field<&ShownFloor::last_bytes>("last_bytes", "at the end"));
}

constexpr auto describe(Tag<model::Mark>) {
  using model::Mark;
  return object("Mark", "a moment of the run",
                field_as<StepNumber, &Mark::step>("step", "null where the input has no steps"),
                field_as<Seconds, &Mark::at_s>("seconds", "null where the input has no times"));
}

constexpr auto describe(Tag<model::Lean>) {
  using model::Lean;
  return object("Lean", "the most likely kind of an inconclusive verdict",
                field<&Lean::kind>("kind", "the most likely kind"),
                field_as<Share, &Lean::confidence>("confidence", "the chance that it is right, 0 to 1"));
}

constexpr auto describe(Tag<model::Verdict>) {
  using model::Verdict;
  return object(
      "Verdict", "what the memory of a process, a device or the whole job does",
      field<&Verdict::kind>("kind", "what it does"),
      field_as<Share, &Verdict::confidence>(
          "confidence",
          "the chance that the kind is right, 0 to 1; if inconclusive, that it is right to leave it open"),
      field<&Verdict::axis>("axis", "what the series was judged against: steps, where the input has them"),
      field<&Verdict::samples>("samples", "readings used"),
      field("rate", "how fast the floor grows",
            [](const Verdict& verdict) {
              return verdict.rate ? std::optional<ShownRate>({*verdict.rate, verdict.axis}) : std::nullopt;
            }),
      field("floor", "the floor at both ends",
            [](const Verdict& verdict) {
              const auto& [first_bytes, last_bytes] = verdict.floor;
              return verdict.samples > 0 ? ShownFloor{first_bytes, last_bytes} : ShownFloor{};
            }),
      field<&Verdict::warmup_end>("warmup_end", "where the growth stopped"),
      field<&Verdict::plateau_bytes>("plateau_bytes", "the level after the warm-up"),
      field<&Verdict::spike_bytes>("spike_bytes", "how high the excursions go above the floor"),
      field<&Verdict::reason>("reason", "one sentence for people"),
      field("needs", "if inconclusive: what would settle it",
            [](const Verdict& verdict) {
              return verdict.needs ? std::optional(model::needs_words(*verdict.needs)) : std::nullopt;
            }),
      field<&Verdict::lean>("lean", "if inconclusive: the most likely kind"),
      field<&Verdict::basis>("basis",
                             "what the verdict is based on: `series`, and `processes`, `sites` or `holders` "
                             "where these settled it"));
}

constexpr auto describe(Tag<model::Forecast>) {
  using model::Forecast;
  return object(
      "Forecast", "when the floor, with the usual spike on top where there are several, reaches the limit",
      field<&Forecast::limit>("limit", "whose limit it is; `tmpfs`: the size of a file system in memory"),
      field_as<NonEmpty, &Forecast::path>("path", "where a tmpfs is mounted; null for another limit"),
      field<&Forecast::limit_bytes>("limit_bytes", "the limit"),
      field<&Forecast::reach_bytes>("reach_bytes",
                                    "the memory of the job at which the limit is reached, if others "
                                    "use a part of it; null: all of it"),
      field<&Forecast::step>("step", "at which step; null without steps"),
      field<&Forecast::seconds>("seconds", "at which second from the start; null without times"));
}

}  // namespace lowtide::show

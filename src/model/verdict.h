#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/needs.h"

namespace lowtide::model {

// leak: the floor rises and nothing says that it will stop. warmup: it rose and
// has stopped. spikes: flat under excursions that recover. stable: flat.
// inconclusive: not enough was seen.
enum class VerdictKind { Leak, Warmup, Spikes, Stable, Inconclusive };

enum class Axis { Step, Time };

// Growth of the floor per step (Axis::Step) or per second (Axis::Time), with a 95% interval.
struct Rate {
  double bytes = 0;
  double low = 0;
  double high = 0;
};

struct Range {
  double estimate = 0;
  double low = 0;
  double high = 0;
};

struct Floor {
  std::uint64_t first_bytes = 0;
  std::uint64_t last_bytes = 0;
};

// With fewer a flat series is stable: one spike is an accident.
inline constexpr std::uint64_t kSpikesToNameThem = 3;

// A floor that is lower at the end by this share of it has fallen, and is not called flat.
inline constexpr double kFallen = 0.04;

// A place on the axes; what the series did not carry is absent.
struct Mark {
  std::optional<double> step;
  std::optional<double> at_s;
};

// Two levels that a series takes in turn, with nothing in between.
struct Levels {
  std::uint64_t low_bytes = 0;
  std::uint64_t high_bytes = 0;
};

struct Lean {
  VerdictKind kind = VerdictKind::Inconclusive;
  double confidence = 0;
};

struct Verdict {
  VerdictKind kind = VerdictKind::Inconclusive;
  double confidence = 0;  // the chance that the kind is right, 0..1
  Axis axis = Axis::Time;
  bool counted = false;  // neither steps nor times were known: the axis numbers the readings
  std::uint64_t samples = 0;
  std::optional<Rate> rate;
  Floor floor;
  std::optional<Mark> warmup_end;
  std::optional<std::uint64_t> plateau_bytes;
  std::optional<std::uint64_t> spike_bytes;  // of the typical one
  std::uint64_t spikes = 0;
  std::optional<Levels> levels;     // stable only
  std::string reason;               // one sentence, lower case, no full stop
  bool is_reason_on_floor = false;  // "floor is flat": outside of a table it needs to be said of what
  std::optional<Needs> needs;       // what would settle an inconclusive verdict
  std::optional<Lean> lean;         // inconclusive only: the most likely kind
  std::vector<std::string> basis = {"series"};
};

// An inconclusive verdict whose most likely kind is `kind`.
inline bool leans_to(const Verdict& verdict, VerdictKind kind) {
  return verdict.kind == VerdictKind::Inconclusive && verdict.lean && verdict.lean->kind == kind;
}

inline bool leans_to_leak(const Verdict& verdict) {
  return leans_to(verdict, VerdictKind::Leak);
}

inline bool may_leak(const Verdict& verdict) {
  return verdict.kind == VerdictKind::Leak || leans_to_leak(verdict);
}

// The advice for an inconclusive verdict: "run longer: about 300 more steps".
inline std::string longer_words(const std::string& verb, const Verdict& verdict) {
  return verdict.needs ? longer_words(verb, *verdict.needs) : verb + " longer";
}

// "; needs about 300 more steps", or nothing: what follows the reason.
inline std::string needs_suffix(const Verdict& verdict) {
  return verdict.needs ? "; needs " + needs_words(*verdict.needs) : "";
}

enum class LimitKind { Cgroup, Host, Gpu, Tmpfs };

// When a limit is reached if the floor goes on as it does; high is absent
// (infinity) where the interval of the rate includes "never".
struct Forecast {
  LimitKind limit = LimitKind::Host;
  std::uint64_t limit_bytes = 0;
  std::optional<Range> step;
  std::optional<Range> seconds;
  std::optional<std::uint64_t> reach_bytes = std::nullopt;  // where others use a part of the limit: the rest
  std::string path = {};                                    // of a tmpfs: "/dev/shm"
};

constexpr std::string_view to_string(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::Leak:
      return "leak";
    case VerdictKind::Warmup:
      return "warmup";
    case VerdictKind::Spikes:
      return "spikes";
    case VerdictKind::Stable:
      return "stable";
    case VerdictKind::Inconclusive:
      return "inconclusive";
  }
  return {};
}

constexpr std::string_view to_string(Axis axis) {
  switch (axis) {
    case Axis::Step:
      return "step";
    case Axis::Time:
      return "time";
  }
  return {};
}

constexpr std::string_view to_string(LimitKind limit) {
  switch (limit) {
    case LimitKind::Cgroup:
      return "cgroup";
    case LimitKind::Host:
      return "host";
    case LimitKind::Gpu:
      return "gpu";
    case LimitKind::Tmpfs:
      return "tmpfs";
  }
  return {};
}

}  // namespace lowtide::model

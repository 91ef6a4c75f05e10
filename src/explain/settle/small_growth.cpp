#include "explain/settle/small_growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "model/floor.h"

namespace lowtide::explain {
namespace {

constexpr double kShareOfTree = 0.01;
constexpr double kShareOfSpike = 0.05;
constexpr double kSmallFromBytes = 1e6;
constexpr double kSmallToBytes = 16e6;  // more is a leak in any tree that runs for long
constexpr std::uint64_t kFewestReadingsOfSmall = 30;

}  // namespace

std::optional<Argument> ignore_small_growth(const model::Verdict& series, double tree_bytes) {
  using model::VerdictKind;
  const auto gain = static_cast<double>(model::floor_growth(series.floor));
  // Where the readings fall between spikes is chance, and so is the floor under them by that much.
  const bool spiky = series.spikes >= model::kSpikesToNameThem;
  const double by_chance = spiky ? kShareOfSpike * static_cast<double>(series.spike_bytes.value_or(0)) : 0;
  const double matters =
      std::clamp(std::max(kShareOfTree * tree_bytes, by_chance), kSmallFromBytes, kSmallToBytes);
  if (series.samples < kFewestReadingsOfSmall || std::abs(gain) > matters) return std::nullopt;
  return Argument{
      .rule = ArgumentKind::SmallGrowth,
      .reason = fmt::format("floor changed by {}, which is little compared with the {} of the process tree",
                            base::format_bytes(gain), base::format_bytes(tree_bytes)),
      .is_reason_on_floor = true,
      .kind = spiky ? VerdictKind::Spikes : VerdictKind::Stable};
}

}  // namespace lowtide::explain

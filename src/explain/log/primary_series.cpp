#include "explain/log/primary_series.h"

#include <algorithm>
#include <tuple>

#include "model/floor.h"

namespace lowtide::explain {
namespace {

using model::Quantity;
using model::VerdictKind;

int nearness(Quantity quantity) {
  switch (quantity) {
    case Quantity::ProcessMemory:
      return 0;
    case Quantity::ContainerMemory:
      return 1;
    case Quantity::SystemMemory:
      return 2;
    // What torch has allocated is the job's own; used holds the context and others, reserved what torch keeps
    // back.
    case Quantity::GpuAllocated:
      return 3;
    case Quantity::GpuUsed:
      return 4;
    case Quantity::GpuReserved:
      return 5;
  }
  return 6;
}

constexpr std::uint64_t kFewestToSpeak = 8;

bool is_gpu(Quantity quantity) {
  return nearness(quantity) >= 3;
}

bool series_leaks(const model::SeriesReport& series) {
  return series.verdict.kind == VerdictKind::Leak;
}

}  // namespace

std::size_t find_primary_series(const std::vector<const model::SeriesReport*>& series) {
  double largest = 0;
  for (const auto* one : series) largest = std::max(largest, static_cast<double>(one->peak_bytes));
  // Growth below a hundredth of the largest series is noise beside it, and must not let a small helper
  // process speak for the trainer.
  const auto material_growth = [&](const model::SeriesReport& one) {
    const auto growth = static_cast<double>(model::floor_growth(one.verdict.floor));
    return growth > largest / 100 ? growth : 0.0;
  };
  const auto rank = [&](const model::SeriesReport& one) {
    return std::tuple(one.verdict.samples < kFewestToSpeak ? 1 : 0, nearness(one.quantity),
                      series_leaks(one) ? 0 : 1, -material_growth(one), -static_cast<double>(one.peak_bytes));
  };
  std::size_t best = 0;
  for (std::size_t at = 1; at < series.size(); ++at) {
    if (rank(*series[at]) < rank(*series[best])) best = at;
  }
  if (series_leaks(*series[best])) return best;
  for (std::size_t at = 0; at < series.size(); ++at) {
    if (!is_gpu(series[at]->quantity) || !series_leaks(*series[at])) continue;
    if (!series_leaks(*series[best]) || rank(*series[at]) < rank(*series[best])) best = at;
  }
  return best;
}

bool later_run_is_primary(const model::Verdict& earlier, const model::Verdict& later) {
  const bool earlier_is_open = earlier.kind == VerdictKind::Inconclusive;
  const bool later_is_open = later.kind == VerdictKind::Inconclusive;
  if (earlier_is_open) return !later_is_open || 4 * later.samples >= earlier.samples;
  if (later_is_open) return later.samples > 4 * earlier.samples;
  if (earlier.kind == VerdictKind::Leak && later.kind != VerdictKind::Leak)
    return later.samples >= earlier.samples;
  return 4 * later.samples >= earlier.samples;
}

}  // namespace lowtide::explain

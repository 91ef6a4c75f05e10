#include "explain/settle/process_count_growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace lowtide::explain {
namespace {

constexpr int kCountParts = 6;
constexpr double kLeastMore = 5;
constexpr double kLeastFactor = 1.5;
constexpr double kShortestS = 30;  // workers that are started one after the other are soon there

double count_in(const Evidence& evidence, const Window& window) {
  std::vector<double> counts;
  for (const TargetMoment& moment : evidence.target_moments) {
    if (moment.at_s >= window.from_s && moment.at_s <= window.to_s)
      counts.push_back(moment.reading.processes);
  }
  if (counts.empty()) return 0;
  const auto middle = counts.begin() + static_cast<std::ptrdiff_t>(counts.size() / 2);
  std::nth_element(counts.begin(), middle, counts.end());
  return *middle;
}

bool rises_to_the_end(const Evidence& evidence) {
  const double from_s = evidence.early.from_s;
  const double part_s = (evidence.late.to_s - from_s) / kCountParts;
  if (kCountParts * part_s < kShortestS) return false;
  double before = 0;
  for (int part = 0; part < kCountParts; ++part) {
    const double count = count_in(evidence, {from_s + part * part_s, from_s + (part + 1) * part_s});
    if (count <= before) return false;
    before = count;
  }
  return true;
}

}  // namespace

ProcessCountGrowth find_process_count_growth(const Evidence& evidence) {
  ProcessCountGrowth out{count_in(evidence, evidence.early), count_in(evidence, evidence.late)};
  if (out.late < out.early + kLeastMore || out.late < kLeastFactor * out.early) return {};
  out.goes_on = rises_to_the_end(evidence);
  return out;
}

std::optional<Argument> leak_from_process_count(const Evidence& evidence) {
  const ProcessCountGrowth count = find_process_count_growth(evidence);
  if (!count.goes_on) return std::nullopt;
  return Argument{
      .rule = ArgumentKind::ProcessCount,
      .reason = fmt::format("the number of processes keeps rising: {:.0f} at first, {:.0f} at the end",
                            count.early, count.late)};
}

}  // namespace lowtide::explain

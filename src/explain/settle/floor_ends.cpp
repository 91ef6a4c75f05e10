#include "explain/settle/floor_ends.h"

#include <algorithm>
#include <optional>
#include <span>

namespace lowtide::explain {
namespace {

std::uint64_t distance(std::uint64_t a, std::uint64_t b) {
  return a > b ? a - b : b - a;
}

// The floor is the lowest reading of a stretch at the beginning or at the end, so one point has it.
double moment_of(std::span<const SeriesPoint> part, std::uint64_t floor_bytes, bool is_last) {
  const SeriesPoint* found = &part.front();
  for (const SeriesPoint& point : part) {
    const std::uint64_t nearest = distance(found->low_bytes, floor_bytes);
    const std::uint64_t now = distance(point.low_bytes, floor_bytes);
    if (now < nearest || (is_last && now == nearest)) found = &point;
  }
  return found->at_s;
}

// 0 where it did not run.
std::uint64_t bytes_at(const ProcessEvidence& process, double at_s) {
  const SeriesPoint* point = nearest(process.series, at_s);
  const bool is_there =
      point != nullptr && process.info.started_s <= at_s && process.info.ended_s.value_or(at_s) >= at_s;
  return is_there ? point->low_bytes : 0;
}

// Processes are read one after the other, so that their sum can exceed the tree by what grew meanwhile. That
// is taken off the largest: rows that do not add up would look like an error.
void take_off_excess(std::vector<WatchedProcess>& processes, std::uint64_t tree_bytes,
                     std::uint64_t model::Ends::*end) {
  constexpr double kMostExcess = 0.02;  // of the tree; with more, something else is wrong, and is shown
  std::uint64_t sum = 0;
  WatchedProcess* largest = nullptr;
  for (WatchedProcess& process : processes) {
    sum += process.report.ends.*end;
    if (largest == nullptr || process.report.ends.*end > largest->report.ends.*end) largest = &process;
  }
  if (sum <= tree_bytes ||
      static_cast<double>(sum - tree_bytes) > kMostExcess * static_cast<double>(tree_bytes))
    return;
  std::uint64_t& bytes = largest->report.ends.*end;
  bytes -= std::min(bytes, sum - tree_bytes);
}

}  // namespace

model::Ends set_floor_ends(const Evidence& evidence, const model::Floor& floor,
                           std::vector<WatchedProcess>& processes) {
  constexpr int kMostLives = 100'000;  // a recording may be hostile: a process that continues itself
  if (evidence.target.empty()) return {};
  const std::span<const SeriesPoint> tree = evidence.target;
  const std::size_t half = tree.size() / 2;
  const double early_s = moment_of(tree.first(tree.size() - half), floor.first_bytes, false);
  const double late_s = moment_of(tree.subspan(half), floor.last_bytes, true);
  for (WatchedProcess& process : processes) {
    model::Ends& ends = process.report.ends;
    ends = {};
    std::optional<model::ProcessId> id = process.report.info.id;
    for (int lives = 0; id && lives < kMostLives; ++lives) {
      const ProcessEvidence* life = evidence.find_process(*id);
      if (life == nullptr) break;
      ends.early_bytes += bytes_at(*life, early_s);
      ends.late_bytes += bytes_at(*life, late_s);
      id = life->info.continues;
    }
  }
  take_off_excess(processes, floor.first_bytes, &model::Ends::early_bytes);
  take_off_excess(processes, floor.last_bytes, &model::Ends::late_bytes);
  return {floor.first_bytes, floor.last_bytes};
}

}  // namespace lowtide::explain

#include "explain/settle/tmpfs.h"

#include <algorithm>
#include <csignal>
#include <limits>
#include <utility>

#include "base/text.h"

namespace lowtide::explain {
namespace {

constexpr double kLeastTmpfsGrowth = 1e6;  // bytes
constexpr double kLeastJobShare = 0.1;     // of the growth of all files

double comes_at(const model::Forecast& forecast, bool by_step) {
  const std::optional<model::Range>& range = by_step ? forecast.step : forecast.seconds;
  return range ? range->estimate : std::numeric_limits<double>::infinity();
}

}  // namespace

std::optional<model::Forecast> sooner(std::optional<model::Forecast> a, std::optional<model::Forecast> b) {
  if (!a || !b) return a ? a : b;
  const bool by_step = a->step && b->step;
  return comes_at(*b, by_step) < comes_at(*a, by_step) ? b : a;
}

std::optional<model::Forecast> forecast_tmpfs(const Evidence& evidence) {
  std::optional<model::Forecast> out;
  for (const TmpfsEvidence& tmpfs : evidence.tmpfs) {
    const double all = change(tmpfs.used, evidence.early, evidence.late);
    const double job = change(tmpfs.job, evidence.early, evidence.late);
    if (job < std::max(kLeastTmpfsGrowth, kLeastJobShare * all)) continue;
    auto forecast =
        forecast_series(tmpfs.used, evidence.steps, model::LimitKind::Tmpfs, tmpfs.last.total_bytes);
    if (forecast) forecast->path = base::printable(tmpfs.path, 100);
    out = sooner(std::move(out), std::move(forecast));
  }
  return out;
}

Failure find_failure(const Evidence& evidence) {
  constexpr int kSignal = 128;  // and its number
  for (const ProcessEvidence& process : evidence.processes) {
    if (process.info.exit_status == kSignal + SIGBUS && process.info.ended_s) return {&process, true};
  }
  const ProcessEvidence* const root = evidence.root();
  if (root == nullptr || !root->info.ended_s) return {};
  const int status = root->info.exit_status.value_or(0);
  const bool was_ended =
      status == kSignal + SIGINT || status == kSignal + SIGKILL || status == kSignal + SIGTERM;
  return status == 0 || was_ended ? Failure() : Failure{root, false};
}

std::optional<Fullness> fullness_before(const TmpfsEvidence& tmpfs, double at_s) {
  constexpr double kLastSeconds = 2;
  constexpr double kOldest = 60;  // a reading before that says nothing of the end
  if (tmpfs.last.total_bytes == 0) return std::nullopt;
  std::optional<double> last_at_s;
  Fullness out;
  for (std::size_t at = std::min(tmpfs.used.size(), tmpfs.job.size()); at-- > 0;) {
    const SeriesPoint& point = tmpfs.used[at];
    if (point.at_s > at_s) continue;
    if (point.at_s < last_at_s.value_or(at_s) - (last_at_s ? kLastSeconds : kOldest)) break;
    if (!last_at_s) last_at_s = point.at_s;
    if (point.high_bytes < out.used_bytes) continue;
    out.used_bytes = point.high_bytes;
    out.job_bytes = tmpfs.job[at].high_bytes;
  }
  if (!last_at_s) return std::nullopt;
  out.share = static_cast<double>(out.used_bytes) / static_cast<double>(tmpfs.last.total_bytes);
  return out;
}

std::vector<model::TmpfsReport> tmpfs_reports(const Evidence& evidence) {
  const Failure failure = find_failure(evidence);
  std::vector<model::TmpfsReport> out;
  for (const TmpfsEvidence& tmpfs : evidence.tmpfs) {
    const auto fullness =
        failure.process != nullptr ? fullness_before(tmpfs, *failure.process->info.ended_s) : std::nullopt;
    out.push_back({.path = base::printable(tmpfs.path, 100),
                   .total_bytes = tmpfs.last.total_bytes,
                   .used_bytes = tmpfs.last.used_bytes,
                   .job_bytes = tmpfs.last.job_bytes,
                   .was_full = fullness && fullness->share >= kFullShare});
  }
  return out;
}

}  // namespace lowtide::explain

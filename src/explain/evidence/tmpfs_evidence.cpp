#include "explain/evidence/tmpfs_evidence.h"

#include <map>
#include <utility>

#include "explain/evidence/bounded_series.h"

namespace lowtide::explain {
namespace {

constexpr std::size_t kMostTmpfs = 16;

struct TmpfsInReading {
  model::TmpfsReading last = {};
  BoundedSeries<SeriesPoint> used = BoundedSeries<SeriesPoint>(kMostPoints);
  BoundedSeries<SeriesPoint> job = BoundedSeries<SeriesPoint>(kMostPoints);
};

}  // namespace

std::vector<TmpfsEvidence> read_tmpfs(record::Recording& recording) {
  std::map<int, TmpfsInReading> all;
  recording.for_each_tmpfs([&](const record::TmpfsPoint& point) {
    if (all.size() == kMostTmpfs && !all.contains(point.last.index)) return;
    TmpfsInReading& tmpfs = all[point.last.index];
    tmpfs.last = point.last;
    SeriesPoint out = to_series_point(point);
    tmpfs.used.add(out);
    out.low_bytes = out.high_bytes = point.last.job_bytes;
    tmpfs.job.add(out);
  });
  std::vector<TmpfsEvidence> out;
  for (auto& [index, tmpfs] : all) {
    auto path = recording.meta<record::Meta::TmpfsPath>(static_cast<std::size_t>(index));
    if (!path || path->empty()) continue;
    out.push_back(
        {.path = *std::move(path), .last = tmpfs.last, .used = tmpfs.used.take(), .job = tmpfs.job.take()});
  }
  return out;
}

}  // namespace lowtide::explain

#include "explain/evidence/bounded_series.h"

namespace lowtide::explain {

void append_merged(RecordedSeries& to, const SeriesPoint& point, double width_s) {
  const bool fits = !to.empty() && to.back().span_s <= width_s && point.span_s <= width_s &&
                    bucket_of(to.back().at_s, width_s) >= bucket_of(point.at_s, width_s);
  if (!fits) {
    to.push_back(point);
    return;
  }
  SeriesPoint& into = to.back();
  into.span_s = std::max(into.span_s, point.at_s + point.span_s - into.at_s);
  if (!std::isnan(point.step)) into.step = point.step;
  into.count += point.count;
  into.low_bytes = std::min(into.low_bytes, point.low_bytes);
  into.high_bytes = std::max(into.high_bytes, point.high_bytes);
  into.rss_bytes = point.rss_bytes;
  into.file_bytes = point.file_bytes;
  into.shmem_bytes = point.shmem_bytes;
  into.held_bytes = point.held_bytes;
  into.writable_bytes = point.writable_bytes;
  into.processes = std::max(into.processes, point.processes);
}

RecordedSeries bounded(RecordedSeries series, std::size_t most) {
  if (series.size() <= most) return series;
  BoundedSeries<SeriesPoint> out(most);
  for (const SeriesPoint& point : series) out.add(point);
  return out.take();
}

}  // namespace lowtide::explain

// A series of points in time that takes a bounded amount of memory.
//
// The monitor judges its own recording while the job runs. A recording of days has 60,000 readings of the
// tree and 11,000 of each process: read as they are, they would take more memory than all the rest of the
// monitor.
//
// When the series is full, points that are close in time become one, as in the recording itself: time is cut
// into buckets, whose width doubles until a quarter of the room is free. Buckets of two series with the
// same readings begin at the same times, so their points still match. The latest readings stay as they are,
// because they show how a run ended. A series that never fills its room is kept unchanged.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "explain/evidence/series.h"

namespace lowtide::explain {

// The number of the bucket in which a moment lies.
inline double bucket_of(double at_s, double width_s) {
  return std::floor(at_s / width_s);
}

// Appends a point; where the end of the series is in the same bucket, the point is merged into it.
// Of a SeriesPoint the stretch remains; one that is wider than a bucket stays as it is.
void append_merged(RecordedSeries& to, const SeriesPoint& point, double width_s);

// Of anything else that has a time, the first and the last of a bucket remain.
template <typename Moment>
void append_merged(std::vector<Moment>& to, const Moment& moment, double width_s) {
  const auto is_in_bucket = [&](const Moment& earlier) {
    return bucket_of(earlier.at_s, width_s) >= bucket_of(moment.at_s, width_s);
  };
  const bool has_both = to.size() >= 2 && is_in_bucket(to[to.size() - 2]) && is_in_bucket(to.back());
  has_both ? void(to.back() = moment) : to.push_back(moment);
}

template <typename Point>
class BoundedSeries {
 public:
  explicit BoundedSeries(std::size_t most) : most_(most) {}

  void add(const Point& point) {
    points_.push_back(point);
    if (points_.size() <= most_) return;
    merge();
    while (points_.size() > most_ - most_ / 4 && width_s_ < kWidestS) {
      width_s_ *= 2;
      merge();
    }
    is_merged_ = true;
  }

  [[nodiscard]] bool empty() const { return points_.empty(); }
  [[nodiscard]] std::size_t size() const { return points_.size(); }
  [[nodiscard]] const Point& back() const { return points_.back(); }
  void pop_back() { points_.pop_back(); }

  // Ends the series.
  std::vector<Point> take() {
    if (is_merged_) merge();
    points_.shrink_to_fit();
    return std::exchange(points_, {});
  }

 private:
  static constexpr double kWidestS = 1ULL << 40U;  // wider than any time that is read
  static constexpr std::size_t kLatest = 64;       // that are not merged

  void merge() {
    const std::size_t latest = points_.size() - std::min(points_.size(), kLatest);
    std::vector<Point> merged;
    for (std::size_t at = 0; at < points_.size(); ++at) {
      at < latest ? append_merged(merged, points_[at], width_s_) : merged.push_back(points_[at]);
    }
    points_ = std::move(merged);
  }

  std::size_t most_;
  double width_s_ = 1.0 / 16;
  bool is_merged_ = false;
  std::vector<Point> points_;
};

// For series that are judged.
inline constexpr std::size_t kMostTreePoints = 8'192;
inline constexpr std::size_t kMostPoints = 2'048;       // of a process, a GPU, a heap
inline constexpr std::size_t kMostSiteMoments = 1'024;  // of one site

RecordedSeries bounded(RecordedSeries series, std::size_t most);

}  // namespace lowtide::explain

// A series as the recording has it, compact enough to be kept in memory.
//
// The detector judges one quantity as it streams by. The findings ask more: did
// the resident set stand still while the private pages grew? How much of the
// tree's growth between two moments is this process's? Such questions need
// several quantities at the same moments, so what was recorded is kept here, in a
// bounded number of points (bounded_series.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "judge/detector.h"
#include "model/sample.h"
#include "model/series_report.h"
#include "model/trace.h"
#include "record/reader.h"

namespace lowtide::explain {

struct SeriesPoint {
  double at_s = 0;
  double span_s = 0;
  double step = model::kUnknown;
  std::uint64_t count = 1;
  std::uint64_t low_bytes = 0;  // of the judged quantity
  std::uint64_t high_bytes = 0;
  std::uint64_t rss_bytes = 0;  // the latest of the stretch, of whatever the point has
  std::uint64_t file_bytes = 0;
  std::uint64_t shmem_bytes = 0;
  // Of a process: anonymous memory, shared memory and swap, shared pages included.
  std::uint64_t held_bytes = 0;
  std::uint64_t writable_bytes = 0;  // of a process: private, resident or not; 0: unknown
  std::uint32_t processes = 0;       // of the tree; 0 in the series of a process
};

using RecordedSeries = std::vector<SeriesPoint>;

SeriesPoint to_series_point(const record::Point& point);

// Where PSS could not be read at every tick, a series has gaps: between two
// readings it is taken to have moved evenly. Nothing is added outside of them,
// nor where processes came or went in between.
RecordedSeries fill_between(const RecordedSeries& series, const RecordedSeries& ticks);

// Which of the quantities of a point.
using Pick = std::uint64_t SeriesPoint::*;

// A stretch of the run.
struct Window {
  double from_s = 0;
  double to_s = 0;
};

// The typical value within the window; absent without a reading in it.
std::optional<double> level(const RecordedSeries& series, const Window& window,
                            Pick pick = &SeriesPoint::low_bytes);

// What changed from one window to the other; a window without a reading counts as nothing there.
double change(const RecordedSeries& series, const Window& early, const Window& late,
              Pick pick = &SeriesPoint::low_bytes);

// The reading nearest to a moment; null where there is none at all.
const SeriesPoint* nearest(const RecordedSeries& series, double at_s);

// Of the lowest bytes, between the readings nearest to two moments; 0 without a reading.
double change_between(const RecordedSeries& series, double from_s, double to_s);

// A series in a few dozen moments, for a picture as small as a word.
std::vector<model::CounterPoint> curve_of(const RecordedSeries& series);

// Whether the run has steps to be judged by, from some moment to its end.
struct Steps {
  bool known = false;
  double first_at_s = 0;  // of the first reading that carries one
  double last_at_s = 0;   // of the first that carries the highest: see find_steps()

  // Up to when a process that ended at `ended_s` was at work.
  [[nodiscard]] double end_of_work_s(double ended_s) const {
    return known ? std::min(ended_s, last_at_s) : ended_s;
  }
};

// What comes before the first step is start-up: imports, the model, the data. After the last the job
// packs up, which takes long on a busy machine: memory that goes then was held all the same. (A
// counter that stands for longer than half of the time before says that we lost it: then the
// end is that of the series.)
Steps find_steps(const RecordedSeries& target);

// A job frees memory after its last step, and a process gives its memory back when it ends. Such readings say
// nothing of the floor, and are taken off the end. `ended_s`: of the process, if it has ended.
void drop_packing_up(RecordedSeries& series, const Steps& steps, std::optional<double> ended_s);

// Verdict, outline and extent of a series. A thinned point counts as two
// readings, its lowest and its highest.
model::SeriesReport judge_series(const RecordedSeries& series, const Steps& steps,
                                 judge::Needs needs = judge::Needs::Estimated);

// The verdict of the same series as long as the run goes on (judge/live.h).
model::Verdict judge_live(const RecordedSeries& series, const Steps& steps);

// The forecast of the same series against a ceiling of the judged quantity.
std::optional<model::Forecast> forecast_series(const RecordedSeries& series, const Steps& steps,
                                               model::LimitKind kind, std::uint64_t ceiling_bytes);

}  // namespace lowtide::explain

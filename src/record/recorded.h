// What a recording holds, as it is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/process.h"
#include "model/report.h"
#include "model/sample.h"
#include "model/snapshot.h"
#include "model/tick.h"

namespace lowtide::record {

// One reading, or a stretch of readings that was thinned to its lowest, mean and highest. They are of the
// series that is judged; other columns keep their latest value.
struct Point {
  double at_s = 0;    // of the first reading
  double span_s = 0;  // from the first to the last; 0 for a single reading
  std::uint64_t count = 1;
  double step = model::kUnknown;  // of the last reading
  std::uint64_t low_bytes = 0;
  double mean_bytes = 0;
  std::uint64_t high_bytes = 0;
};

// `last` holds the latest values of the stretch. Exceptions: its judged member (bytes, own_bytes,
// current_bytes, available_bytes, used_bytes, live_bytes) is the rounded mean, and TargetReading::processes
// the highest.
template <typename Reading>
struct PointOf : Point {
  Reading last;
};

using TargetPoint = PointOf<model::TargetReading>;
using ProcessPoint = PointOf<model::ProcessReading>;
using CgroupPoint = PointOf<model::CgroupReading>;
using HostPoint = PointOf<model::HostReading>;
using GpuPoint = PointOf<model::GpuReading>;
using GpuProcessPoint = PointOf<model::GpuProcessReading>;
using HeapPoint = PointOf<model::HeapReading>;
using SitePoint = PointOf<model::SiteReading>;
using TmpfsPoint = PointOf<model::TmpfsReading>;

struct RecordedEvent {
  model::Event event;
  std::optional<model::ProcessId> process;
};

// A stretch of the run in which nothing could be written.
struct Outage {
  double from_s = 0;
  double to_s = 0;
  std::uint64_t ticks = 0;
  std::string why;
};

struct RecordedSnapshot {
  model::ProcessId process{};
  model::Snapshot snapshot;
};

}  // namespace lowtide::record

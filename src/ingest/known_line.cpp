// The line of which a log has millions: a time or none, a step or none, and readings of series that are
// known, with nothing in doubt.
//
// The long way (take, settle, decide, emit) asks some forty questions about each line. Here those that
// such a line can raise are asked first, all of them, and only then is anything changed: the result is
// what the long way would give. shortcut_test.cpp holds it to that.

#include <array>
#include <cmath>

#include "ingest/assembler.h"
#include "ingest/formats.h"

namespace lowtide::ingest {
namespace {

constexpr std::size_t kMaxReadings = 8;
constexpr double kMaxCount = 1e15;   // as in take(): more is a number of another kind
constexpr double kMaxBytes = 1e18;

bool rows_are_counted(std::uint16_t format) {
  return format == kNvidiaTableFormat || format == kNvidiaFormat || format == kNvidiaBareFormat;
}

}  // namespace

bool Assembler::take_short(const FactHeader& header, const Value* values, std::size_t count) {
  if (doubt_ != Doubt::None || mark_ || has_partial_ || lead_rank_ >= 0 || rows_are_counted(header.format)) {
    return false;
  }
  struct Known {
    SeriesIndex series{};
    std::uint64_t bytes = 0;
  };
  std::array<Known, kMaxReadings> readings;
  std::size_t found = 0;
  Stamp stamp = carried_stamp_;
  Progress progress;
  for (const Value* value = values; value != values + count; ++value) {
    switch (value->role) {
      case Role::Memory: {
        SeriesState* const series = plain_series_[value->topic];
        if (series == nullptr || series->unit != value->unit || value->negative || found == kMaxReadings) {
          return false;
        }
        double bytes = value->number;
        const UnitSource unit = topics_[value->topic].unit;
        if (unit == UnitSource::Free) return false;
        if (unit == UnitSource::Magnitude) {
          if (units_[value->topic].scale == 0 || units_[value->topic].ignored) return false;
          bytes *= units_[value->topic].scale;
        }
        if (!(bytes < kMaxBytes)) return false;
        readings[found++] = {series->index, static_cast<std::uint64_t>(static_cast<std::int64_t>(bytes + 0.5))};
        break;
      }
      case Role::Step:
        if (value->negative || !(value->number < kMaxCount)) return false;
        progress.step = value->number;
        break;
      case Role::Date:
      case Role::Seconds:
        stamp = {value->role, value->negative ? -value->number : value->number};
        break;
      case Role::Limit:
      case Role::None:
        break;
      default:
        return false;
    }
  }
  if (found == 0) return false;
  const bool has_step = !std::isnan(progress.step);
  if (has_step) {
    if (!steps_.known() || !(progress.step >= steps_.last_step())) return false;
  } else if (!std::isnan(carried_.step)) {
    return false;
  }
  double at_s = model::kUnknown;
  if (stamp.role != Role::None && !timeline_.place_forward(stamp, at_s)) return false;

  carried_stamp_ = stamp;
  if (has_step) {
    strong_step_seen_ = true;
    progress.epoch = carried_.epoch;
    carried_ = progress;
    progress.step = steps_.advance_plainly(progress);
  }
  if (stamp.role != Role::None) last_at_s_ = at_s;
  ++format_counts_[header.format];
  readings_ += found;
  run_readings_ += found;
  for (std::size_t i = 0; i < found; ++i) {
    sink_.add(readings[i].series, {at_s, progress.step, readings[i].bytes}, header.line);
  }
  return true;
}

}  // namespace lowtide::ingest

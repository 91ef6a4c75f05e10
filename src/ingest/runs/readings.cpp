// The readings of a record: in which unit, of which series, and on to the receiver.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ingest/formats/formats.h"
#include "ingest/runs/assembler.h"

namespace lowtide::ingest {
namespace {

using model::Quantity;

constexpr std::size_t kMaxSeries = 512;

std::string_view quantity_name(Quantity quantity) {
  switch (quantity) {
    case Quantity::ProcessMemory:
      return "process memory";
    case Quantity::SystemMemory:
      return "system memory";
    case Quantity::ContainerMemory:
      return "container memory";
    case Quantity::GpuUsed:
      return "used";
    case Quantity::GpuAllocated:
      return "allocated";
    case Quantity::GpuReserved:
      return "reserved";
  }
  return "memory";
}

// `free` prints no unit and its options are not in its output: the total is a
// machine's memory, and machines have between 1 GiB and a few TiB.
double free_scale_for(double total) {
  if (total < 1024) return 1024.0 * 1024.0 * 1024.0;
  if (total < 4e6) return 1024.0 * 1024.0;
  if (total < 2e10) return 1024.0;
  return 1.0;
}

// A column called "rss" and nothing more. psutil gives bytes, ps KiB, people MB or GB.
double magnitude_scale_for(double value) {
  if (value >= 1e8) return 1.0;
  if (value >= 1e5) return 1024.0;
  if (value >= 50) return 1e6;
  return 1e9;
}

std::string_view scale_name(double scale) {
  if (scale == 1.0) return "bytes";
  if (scale == 1024.0) return "KiB";
  if (scale == 1e6) return "MB";
  if (scale == 1e9) return "GB";
  if (scale == 1024.0 * 1024.0) return "MiB";
  return "GiB";
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ (value + 0x9E3779B97F4A7C15ULL)) * 0xBF58476D1CE4E5B9ULL;
  return hash ^ (hash >> 31U);
}

}  // namespace

void Assembler::emit(const Record& record, bool in_order) {
  if (!run_open_) begin_run(record.line);
  if (record.writer >= 0 && std::find(writers_.begin(), writers_.end(), record.writer) == writers_.end() &&
      writers_.size() < 64) {
    writers_.push_back(record.writer);
  }
  const bool has_step = !std::isnan(record.progress.step);
  Timeline::Place place = timeline_.place(record.stamp, has_step, record.line);
  if (place.verdict == Timeline::Verdict::Restart) {
    begin_run(record.line);
    place = timeline_.place(record.stamp, has_step, record.line);
  }
  if (place.verdict == Timeline::Verdict::Back && !has_step) return;
  const double at_s = place.verdict == Timeline::Verdict::Good ? place.at_s : model::kUnknown;
  double step = model::kUnknown;
  if (has_step) {
    if (lead_rank_ < 0) lead_rank_ = record.rank;
    const bool leads = record.rank == lead_rank_ && record.lane <= 0;
    // Out of order, of another loop or another writer: a step that is none of this run's counter.
    if (in_order) step = leads ? steps_.advance(record.progress) : steps_.place(record.progress);
  }
  if (!std::isnan(at_s)) last_at_s_ = at_s;
  for (std::size_t i = 0; i < record.memories; ++i) emit_reading(record, record.memory[i], at_s, step);
}

double Assembler::scale_of(const Record& record, const Value& value) {
  const Topic& topic = registry_.topics()[value.topic];
  if (topic.unit == UnitSource::Free) {
    if (free_scale_ == 0) {
      const double total = record.limits > 0 ? record.limit[0].number : carried_limit_.value_or(value.number);
      free_scale_ = free_scale_for(total);
      warnings_.add(fmt::format("free prints no unit: read as {} because the total is {:.0f}",
                                scale_name(free_scale_), total),
                    record.line);
    }
    return free_scale_;
  }
  if (topic.unit != UnitSource::Magnitude) return 1.0;
  UnitState& unit = units_[value.topic];
  if (unit.scale == 0 && !unit.ignored) {
    const std::string what = topic.label.empty() ? "the memory column" : "\"" + topic.label + "\"";
    if (record.format == BarePairFormat && value.number > 1.0) {
      unit.scale = magnitude_scale_for(value.number);
      warnings_.add(
          fmt::format("two columns without a header: the first was read as the {}, the second as memory "
                      "in {} because it starts at {:g} (to set it, put a header line such as time,rss_mb "
                      "before them)",
                      std::isnan(record.progress.step) ? "time" : "step", scale_name(unit.scale),
                      value.number),
          record.line);
    } else if (record.format == BareNumbersFormat) {
      unit.scale = 1024.0;
      warnings_.add("bare numbers were read as KiB, as ps prints them", record.line);
    } else if (value.number <= 1.0) {
      unit.ignored = value.number > 0;
      if (unit.ignored) {
        warnings_.add(
            fmt::format("{} has no unit and starts at {:g}: it looks like a fraction and was ignored", what,
                        value.number),
            record.line);
      }
      return 0;
    } else {
      unit.scale = magnitude_scale_for(value.number);
      warnings_.add(fmt::format("{} has no unit: read as {} because it starts at {:g}", what,
                                scale_name(unit.scale), value.number),
                    record.line);
    }
  }
  return unit.ignored ? 0 : unit.scale;
}

std::optional<double> Assembler::limit_of(const Record& record, const Value& value) const {
  const Quantity quantity = registry_.topics()[value.topic].quantity;
  const Value* chosen = nullptr;
  for (std::size_t i = 0; i < record.limits; ++i) {
    const Value& limit = record.limit[i];
    if (limit.topic == value.topic) chosen = &limit;
    if (chosen == nullptr &&
        is_gpu_memory(registry_.topics()[limit.topic].quantity) == is_gpu_memory(quantity))
      chosen = &limit;
  }
  if (chosen != nullptr) return chosen->number;
  return record.format == FreeFormat ? carried_limit_ : std::nullopt;
}

// What a new series is called, and what it may grow to.
SeriesInfo Assembler::describe(const Record& record, const Value& value, int gpu) const {
  const Topic& topic = registry_.topics()[value.topic];
  const std::vector<std::string>& names = registry_.names();
  const bool on_gpu = is_gpu_memory(topic.quantity);
  SeriesInfo info;
  info.quantity = topic.quantity;
  if (record.pid >= 0) info.pid = record.pid;
  if (record.writer >= 0) info.pid = record.writer;
  if (!info.pid && topic.quantity == Quantity::ProcessMemory) info.pid = run_pid_;
  if (on_gpu && gpu >= 0) info.gpu_index = gpu;
  if (record.name < names.size()) info.command = names[record.name];
  const std::string device = on_gpu && record.pid < 0 ? info.command : "";  // a UUID or a bus, no command
  if (!device.empty()) info.command.clear();
  info.gpu_id = device;
  if (on_gpu && record.gpu_name < names.size()) info.gpu_name = names[record.gpu_name];
  const std::string_view what = quantity_name(topic.quantity);
  if (on_gpu) {
    info.name = gpu >= 0 ? fmt::format("GPU {} {}", gpu, what) : fmt::format("GPU {}", what);
    if (!device.empty()) info.name += " (" + device + ")";
    if (!info.command.empty()) info.name += " by " + info.command;
  } else if (!info.command.empty()) {
    info.name = info.command.substr(0, info.command.find(' '));
    info.name = info.name.substr(info.name.rfind('/') + 1);
    if (topic.quantity == Quantity::ContainerMemory) info.name = fmt::format("container {}", info.command);
  } else {
    info.name = what;
  }
  if (record.lane >= 0) {
    const bool rows = record.format == NvidiaBareFormat;
    info.name += fmt::format(" ({} {} of {})", rows ? "row" : "writer", record.lane + 1,
                             lanes_.at(record.memory[0].value.topic).count());
  }
  if (record.row > 0) info.name += fmt::format(" (row {} of each tick)", record.row + 1);
  if (record.rank >= 0) info.name = fmt::format("rank {} {}", record.rank, info.name);
  if (record.pid >= 0 || record.writer >= 0)
    info.name += fmt::format(" ({})", record.pid >= 0 ? record.pid : record.writer);
  if (!topic.label.empty() && topic.label != "bare numbers" && topic.label != "second column" &&
      topic.label != "process") {
    info.name += ": " + topic.label;
  }
  const std::optional<double> limit = limit_of(record, value);
  if (limit) {
    const double bytes = *limit * (topic.unit == UnitSource::Free ? free_scale_ : 1.0);
    if (bytes > 0 && bytes < kMaxBytes) info.limit_bytes = static_cast<std::uint64_t>(bytes);
  }
  return info;
}

Assembler::SeriesState* Assembler::series_of(const Record& record, const Reading& reading) {
  const Value& value = reading.value;
  const Topic& topic = registry_.topics()[value.topic];
  const bool on_gpu = is_gpu_memory(topic.quantity);
  const int told_gpu = reading.gpu >= 0 ? reading.gpu : record.gpu;
  const int gpu = told_gpu >= 0 ? told_gpu : topic.gpu;
  std::uint64_t key = mix(1, value.topic);
  key = mix(key, static_cast<std::uint64_t>(record.pid));
  key = mix(key, static_cast<std::uint64_t>(record.writer));
  key = mix(key, static_cast<std::uint64_t>(on_gpu ? gpu : -1));
  key = mix(key, static_cast<std::uint64_t>(record.rank));
  key = mix(key, record.name);
  key = mix(key, static_cast<std::uint64_t>(record.row));
  key = mix(key, static_cast<std::uint64_t>(record.lane));
  const auto found = series_.find(key);
  if (found != series_.end()) return &found->second;
  if (series_.size() >= kMaxSeries) {
    warnings_.add(
        fmt::format("more than {} series in one run: readings of the others were ignored", kMaxSeries),
        record.line);
    return nullptr;
  }
  const SeriesInfo info = describe(record, value, gpu);
  SeriesState& state = series_[key];
  state.index = sink_.begin_series(info);
  state.unit = value.unit;
  return &state;
}

void Assembler::emit_reading(const Record& record, const Reading& reading, double at_s, double step) {
  const Value& value = reading.value;
  if (value.role == Role::NotANumber) {
    warnings_.add("memory that is not a number (nan, inf): the reading was ignored", record.line);
    return;
  }
  if (value.negative) {
    warnings_.add("memory below zero: the reading was ignored", record.line);
    return;
  }
  const double scale = scale_of(record, value);
  if (scale == 0) return;
  const double bytes = value.number * scale;
  if (!(bytes < kMaxBytes)) {
    warnings_.add("memory of an exabyte or more: the reading was ignored", record.line);
    return;
  }
  // Kernel threads have no memory of their own; a GPU or a process that is gone reads zero.
  if (bytes == 0 && record.pid >= 0) return;
  SeriesState* series = series_of(record, reading);
  if (series == nullptr) return;
  if (series->unit != value.unit) {
    const bool tool_scales =
        record.format == DockerFormat || record.format == TopFormat || record.format == FreeFormat;
    if (!tool_scales) {
      warnings_.add("the unit changes within a series: each reading was read in its own unit", record.line);
    }
    series->unit = value.unit;
  }
  ++readings_;
  ++run_readings_;
  if (record.lane <= 0) last_bytes_ = bytes;
  sink_.add(series->index, {at_s, step, static_cast<std::uint64_t>(std::llround(bytes))}, record.line);
}

}  // namespace lowtide::ingest

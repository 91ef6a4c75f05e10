// Where the readings of a log go.
//
// A log of 1 GB holds tens of millions of readings, so nothing here collects
// them: each is handed on, and the receiver keeps what it can bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "model/report.h"
#include "model/sample.h"

namespace lowtide::ingest {

// What one series of a run measures, as far as the log shows.
struct SeriesInfo {
  model::Quantity quantity = model::Quantity::ProcessMemory;
  std::string name;  // for people: "process memory", "GPU 0 used", "python (4711)"
  std::optional<std::int64_t> pid;
  std::string command;
  std::optional<int> gpu_index;
  std::string gpu_name;                      // the model
  std::string gpu_id;                        // a UUID or a bus, where there is no index
  std::optional<std::uint64_t> limit_bytes;  // total memory or limit that the log itself states
};

enum class SeriesIndex : std::size_t {};

class Sink {
 public:
  virtual ~Sink() = default;

  // A run begins: at the first reading, and after every restart.
  virtual void begin_run(const std::string& name, std::uint64_t first_line) = 0;

  // A series of the current run; the index is the receiver's own, for add().
  virtual SeriesIndex begin_series(const SeriesInfo& info) = 0;

  // One reading of the current run. Times are seconds from the run's first reading.
  virtual void add(SeriesIndex series, const model::Sample& sample, std::uint64_t line) = 0;

  virtual void event(const model::Event& event) = 0;
};

}  // namespace lowtide::ingest

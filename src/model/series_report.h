#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/outline.h"
#include "model/verdict.h"

namespace lowtide::model {

// What a series is a series of. Decides which verdict is that of the report.
enum class Quantity { ProcessMemory, SystemMemory, ContainerMemory, GpuUsed, GpuAllocated, GpuReserved };

constexpr bool is_gpu_memory(Quantity quantity) {
  return quantity == Quantity::GpuUsed || quantity == Quantity::GpuAllocated ||
         quantity == Quantity::GpuReserved;
}

struct SeriesReport {
  std::string name;        // "process memory", "GPU 0 used", "pid 4711 (python)"
  std::string short_name;  // of "GPU 0, outside of torch": "GPU 0"; empty: the name is short
  Quantity quantity = Quantity::ProcessMemory;
  std::optional<std::int64_t> pid;
  std::string command;
  std::optional<int> gpu_index;
  std::string gpu_name;                      // the model, as in the log
  std::string gpu_id;                        // a UUID or a bus, where there is no index
  std::optional<std::uint64_t> limit_bytes;  // total memory or limit, if the log contains it
  std::uint64_t last_bytes = 0;
  std::uint64_t peak_bytes = 0;
  std::optional<double> first_s;  // when the first and the last reading were taken, as far as known
  std::optional<double> last_s;
  std::optional<double> first_step;
  std::optional<double> last_step;
  Verdict verdict;
  std::optional<Forecast> forecast;
  Outline outline;
};

}  // namespace lowtide::model

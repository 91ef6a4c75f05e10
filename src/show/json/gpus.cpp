#include "show/json/gpus.h"

#include <algorithm>
#include <map>
#include <utility>

namespace lowtide::show {
namespace {

using model::Report;
using model::SeriesReport;

// Used, allocated and reserved are up to three series of one device. Its verdict is that of a leak if there
// is one, else of what torch has allocated, of what is used, of what is reserved.
ListedGpu gpu_of_log(int index, const std::string& id, const std::vector<const SeriesReport*>& all) {
  const auto rank = [](const SeriesReport* series) {
    const int kind = series->quantity == model::Quantity::GpuAllocated ? 0
                     : series->quantity == model::Quantity::GpuUsed    ? 1
                                                                       : 2;
    return series->verdict.kind == model::VerdictKind::Leak ? kind - 3 : kind;
  };
  const auto last_of = [&](model::Quantity quantity) -> std::optional<std::uint64_t> {
    for (const SeriesReport* series : all) {
      if (series->quantity == quantity) return series->last_bytes;
    }
    return std::nullopt;
  };
  const auto* speaks = *std::min_element(all.begin(), all.end(),
                                         [&](const auto* a, const auto* b) { return rank(a) < rank(b); });
  std::optional<std::uint64_t> total_bytes;
  for (const SeriesReport* series : all) {
    if (series->limit_bytes) total_bytes = series->limit_bytes;
  }
  return {.index = index < 0 ? std::nullopt : std::optional(index),
          .name = all.front()->gpu_name,
          .id = id,
          .total_bytes = total_bytes,
          .used_bytes = last_of(model::Quantity::GpuUsed),
          .pid = speaks->pid,
          .allocated_bytes = last_of(model::Quantity::GpuAllocated),
          .reserved_bytes = last_of(model::Quantity::GpuReserved),
          .verdict = speaks->verdict};
}

// Those of the run that the verdict is of, distinguished by index, or by UUID or bus where there is none.
std::vector<ListedGpu> gpus_of_log(const Report& report) {
  std::map<std::pair<int, std::string>, std::vector<const SeriesReport*>> devices;
  if (report.primary_run < report.runs.size()) {
    for (const SeriesReport& series : report.runs[report.primary_run].series) {
      if (is_gpu_memory(series.quantity))
        devices[{series.gpu_index.value_or(-1), series.gpu_id}].push_back(&series);
    }
  }
  std::vector<ListedGpu> list;
  list.reserve(devices.size());
  for (const auto& [device, all] : devices) list.push_back(gpu_of_log(device.first, device.second, all));
  return list;
}

}  // namespace

std::vector<ListedGpu> gpus_of(const Report& report) {
  if (report.source.type != model::SourceType::Recording) return gpus_of_log(report);
  std::vector<ListedGpu> list;
  for (const model::GpuReport& gpu : report.gpus) {
    const auto of_torch = [&](std::uint64_t model::TorchReading::*bytes) {
      return gpu.torch ? std::optional((*gpu.torch).*bytes) : std::nullopt;
    };
    list.push_back({.index = gpu.index,
                    .name = gpu.name,
                    .id = {},
                    .total_bytes = gpu.total_bytes,
                    .used_bytes = gpu.used_bytes,
                    .pid = gpu.pid,
                    .allocated_bytes = of_torch(&model::TorchReading::allocated_bytes),
                    .reserved_bytes = of_torch(&model::TorchReading::reserved_bytes),
                    .verdict = gpu.series.verdict,
                    .watched = &gpu});
  }
  return list;
}

}  // namespace lowtide::show

#include "explain/evidence/gpu_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "explain/evidence/bounded_series.h"

namespace lowtide::explain {
namespace {

constexpr std::size_t kMostShares = 4'096;  // processes on GPUs

struct ShareInReading {
  model::ProcessId id{};
  BoundedSeries<SeriesPoint> series = BoundedSeries<SeriesPoint>(kMostPoints);
  BoundedSeries<SeriesPoint> allocated = series;
  BoundedSeries<SeriesPoint> reserved = series;
  BoundedSeries<SeriesPoint> outside = series;
  BoundedSeries<SeriesPoint> pinned = series;
  std::optional<model::TorchReading> torch = {};

  void add(const record::GpuProcessPoint& point);
  GpuEvidence::Share take();
};

SeriesPoint with_bytes(SeriesPoint point, std::uint64_t bytes) {
  point.low_bytes = point.high_bytes = bytes;
  return point;
}

void ShareInReading::add(const record::GpuProcessPoint& point) {
  const SeriesPoint out = to_series_point(point);
  series.add(out);
  if (!point.last.torch) return;
  const std::uint64_t reserved_bytes = point.last.torch->reserved_bytes;
  // torch's count is older than the driver's: what lies outside is known while torch's does not move.
  if (torch && torch->reserved_bytes != reserved_bytes && !outside.empty()) outside.pop_back();
  torch = point.last.torch;
  allocated.add(with_bytes(out, point.last.torch->allocated_bytes));
  reserved.add(with_bytes(out, reserved_bytes));
  pinned.add(with_bytes(out, point.last.torch->pinned_bytes));
  outside.add(with_bytes(out, point.last.bytes - std::min(point.last.bytes, reserved_bytes)));
}

GpuEvidence::Share ShareInReading::take() {
  return {.id = id,
          .series = series.take(),
          .allocated = allocated.take(),
          .reserved = reserved.take(),
          .outside = outside.take(),
          .pinned = pinned.take(),
          .torch = torch};
}

struct GpuInReading {
  int index = 0;
  model::GpuReading last = {};
  BoundedSeries<SeriesPoint> used = BoundedSeries<SeriesPoint>(kMostPoints);
  std::vector<ShareInReading> shares = {};
  std::unordered_map<std::uint32_t, std::size_t> places = {};  // of processes in `shares`

  GpuEvidence take() {
    GpuEvidence out{.index = index, .last = last, .used = used.take(), .processes = {}};
    for (ShareInReading& share : shares) out.processes.push_back(share.take());
    return out;
  }
};

GpuInReading& gpu_of(std::vector<GpuInReading>& gpus, int index) {
  const auto found =
      std::find_if(gpus.begin(), gpus.end(), [&](const GpuInReading& gpu) { return gpu.index == index; });
  if (found != gpus.end()) return *found;
  gpus.push_back({.index = index});
  return gpus.back();
}

}  // namespace

std::vector<GpuEvidence> read_gpus(record::Recording& recording) {
  std::vector<GpuInReading> gpus;
  recording.for_each_gpu([&](const record::GpuPoint& point) {
    GpuInReading& gpu = gpu_of(gpus, point.last.index);
    gpu.last = point.last;
    gpu.used.add(to_series_point(point));
  });
  std::size_t shares = 0;
  bool has_more = false;
  recording.for_each_gpu_process([&](const record::GpuProcessPoint& point) {
    GpuInReading& gpu = gpu_of(gpus, point.last.index);
    const auto id = static_cast<std::uint32_t>(point.last.id);
    const auto place = gpu.places.find(id);
    if (place != gpu.places.end()) {
      gpu.shares[place->second].add(point);
    } else if (shares < kMostShares) {
      ++shares;
      gpu.places.emplace(id, gpu.shares.size());
      gpu.shares.push_back({.id = point.last.id});
      gpu.shares.back().add(point);
    } else {
      has_more = true;
    }
  });
  if (has_more) {
    recording.warn(fmt::format("of the processes on GPUs only the first {} were read", kMostShares));
  }
  std::vector<GpuEvidence> out;
  out.reserve(gpus.size());
  for (GpuInReading& gpu : gpus) out.push_back(gpu.take());
  return out;
}

}  // namespace lowtide::explain

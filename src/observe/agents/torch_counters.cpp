#include "observe/agents/torch_counters.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "gpu/uuid.h"

namespace lowtide::observe {
namespace {

model::TorchReading to_torch_reading(const AgentDevice& device, std::uint64_t pinned_bytes) {
  return {.allocated_bytes = device.allocated_bytes,
          .reserved_bytes = device.reserved_bytes,
          .inactive_split_bytes = device.inactive_split_bytes,
          .retries = device.retries,
          .ooms = device.ooms,
          .pinned_bytes = pinned_bytes,
          .framework = device.framework};
}

bool is_used(const AgentDevice& device) {
  return device.reserved_bytes > 0;
}

// In most containers the driver does not report which process has how much. What torch reserves is memory of
// the process all the same. Without UUIDs that helps with a single GPU only. The driver is not read at every
// tick.
void add_without_driver(model::ProcessId id, const AgentMarks& marks, model::Tick& tick) {
  if (tick.gpus.size() != 1 || marks.devices.size() != 1 || !is_used(marks.devices.front())) return;
  tick.gpu_processes.push_back({.index = tick.gpus.front().index,
                                .id = id,
                                .bytes = marks.devices.front().reserved_bytes,
                                .torch = to_torch_reading(marks.devices.front(), marks.pinned_bytes)});
}

// The larger is the larger on both sides. Where a job was given its GPUs in another order, it is not.
bool is_same_order(const std::vector<const AgentDevice*>& devices,
                   const std::vector<model::GpuProcessReading*>& readings) {
  for (std::size_t at = 0; at < devices.size(); ++at) {
    if (devices[at]->reserved_bytes > readings[at]->bytes) return false;
    for (std::size_t other = 0; other < at; ++other) {
      const bool more = devices[at]->reserved_bytes > devices[other]->reserved_bytes;
      const bool more_in_driver = readings[at]->bytes > readings[other]->bytes;
      if (more != more_in_driver && devices[at]->reserved_bytes != devices[other]->reserved_bytes)
        return false;
    }
  }
  return true;
}

// The driver's number of each of the GPUs that torch uses; fewer where a UUID is unknown.
std::vector<int> find_by_uuid(const std::vector<const AgentDevice*>& used,
                              std::span<const gpu::Device> devices) {
  std::vector<int> out;
  for (const AgentDevice* const device : used) {
    if (device->total_bytes == 0) continue;
    const std::string uuid = gpu::uuid_text(device->uuid);
    const auto found = std::find_if(devices.begin(), devices.end(),
                                    [&](const gpu::Device& one) { return one.uuid == uuid; });
    if (found != devices.end()) out.push_back(found->index);
  }
  return out;
}

// The process has a slice of the GPU (MIG): its limit is the slice. Of several slices the fullest counts.
void limit_to_slice(const AgentDevice& device, model::GpuReading& gpu) {
  if (gpu.total_bytes > device.total_bytes / 9 * 10) {
    gpu = {.index = gpu.index, .total_bytes = device.total_bytes, .used_bytes = device.reserved_bytes};
  }
  gpu.used_bytes = std::max(gpu.used_bytes, device.reserved_bytes);
}

// Where the driver names no process (most containers), or not its memory (MIG), what torch reserves is its
// memory.
void add_to_gpu(int index, model::ProcessId id, const AgentDevice& device, const model::TorchReading& torch,
                model::Tick& tick) {
  const auto gpu = std::find_if(tick.gpus.begin(), tick.gpus.end(),
                                [&](const model::GpuReading& one) { return one.index == index; });
  if (gpu == tick.gpus.end()) return;  // the driver is not read at every tick
  limit_to_slice(device, *gpu);
  for (model::GpuProcessReading& reading : tick.gpu_processes) {
    if (reading.id != id || reading.index != index) continue;
    reading.torch = torch;
    return;
  }
  tick.gpu_processes.push_back({.index = index, .id = id, .bytes = torch.reserved_bytes, .torch = torch});
}

void add_by_order(model::ProcessId id, const AgentMarks& marks, const std::vector<const AgentDevice*>& used,
                  model::Tick& tick) {
  std::vector<model::GpuProcessReading*> readings;
  for (model::GpuProcessReading& reading : tick.gpu_processes) {
    if (reading.id == id) readings.push_back(&reading);
  }
  if (readings.empty()) add_without_driver(id, marks, tick);
  if (used.size() != readings.size() || !is_same_order(used, readings)) return;
  for (std::size_t at = 0; at < used.size(); ++at) {
    readings[at]->torch = to_torch_reading(*used[at], marks.pinned_bytes);
  }
}

}  // namespace

void add_torch_counters(model::ProcessId id, const AgentMarks& marks, std::span<const gpu::Device> devices,
                        model::Tick& tick) {
  std::vector<const AgentDevice*> used;
  for (const AgentDevice& device : marks.devices) {
    if (is_used(device)) used.push_back(&device);
  }
  const std::vector<int> indices = find_by_uuid(used, devices);
  if (indices.size() != used.size()) {
    add_by_order(id, marks, used, tick);
    return;
  }
  for (std::size_t at = 0; at < used.size(); ++at) {
    add_to_gpu(indices[at], id, *used[at], to_torch_reading(*used[at], marks.pinned_bytes), tick);
  }
}

}  // namespace lowtide::observe

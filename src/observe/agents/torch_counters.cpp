#include "observe/agents/torch_counters.h"

#include <cstddef>
#include <vector>

namespace lowtide::observe {
namespace {

model::TorchReading to_torch_reading(const AgentDevice& device, std::uint64_t pinned_bytes) {
  return {.allocated_bytes = device.allocated_bytes,
          .reserved_bytes = device.reserved_bytes,
          .inactive_split_bytes = device.inactive_split_bytes,
          .retries = device.retries,
          .ooms = device.ooms,
          .pinned_bytes = pinned_bytes};
}

bool is_used(const AgentDevice& device) {
  return device.reserved_bytes > 0;
}

// The driver does not say whose its memory is, as in most containers: what torch reserves is then known to be
// of the process. Of several GPUs nobody knows which is which; and the driver is not asked at every tick.
void tell_without_driver(model::ProcessId id, const AgentMarks& marks, model::Tick& tick) {
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
      const bool more_told = readings[at]->bytes > readings[other]->bytes;
      if (more != more_told && devices[at]->reserved_bytes != devices[other]->reserved_bytes) return false;
    }
  }
  return true;
}

}  // namespace

void tell_torch(model::ProcessId id, const AgentMarks& marks, model::Tick& tick) {
  std::vector<const AgentDevice*> devices;
  for (const AgentDevice& device : marks.devices) {
    if (is_used(device)) devices.push_back(&device);
  }
  std::vector<model::GpuProcessReading*> readings;
  for (model::GpuProcessReading& reading : tick.gpu_processes) {
    if (reading.id == id) readings.push_back(&reading);
  }
  if (readings.empty()) tell_without_driver(id, marks, tick);
  if (devices.size() != readings.size() || !is_same_order(devices, readings)) return;
  for (std::size_t at = 0; at < devices.size(); ++at) {
    readings[at]->torch = to_torch_reading(*devices[at], marks.pinned_bytes);
  }
}

}  // namespace lowtide::observe

#include "observe/torch_counters.h"

#include <algorithm>

namespace lowtide::observe {
namespace {

model::TorchReading to_reading(const AgentDevice& device, std::uint64_t pinned_bytes) {
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
// of the process. Where torch sees other GPUs than the driver, nobody knows which is which; and the driver is
// not asked at every tick.
void tell_without_driver(model::ProcessId id, const AgentMarks& marks, model::Tick& tick) {
  if (tick.gpus.size() != marks.devices.size()) return;
  for (std::size_t at = 0; at < marks.devices.size(); ++at) {
    const AgentDevice& device = marks.devices[at];
    if (!is_used(device)) continue;
    tick.gpu_processes.push_back({.index = static_cast<int>(at),
                                  .id = id,
                                  .bytes = device.reserved_bytes,
                                  .torch = to_reading(device, marks.pinned_bytes)});
  }
}

}  // namespace

void tell_torch(model::ProcessId id, const AgentMarks& marks, model::Tick& tick) {
  const auto is_of = [&](const model::GpuProcessReading& reading) { return reading.id == id; };
  const auto used = std::count_if(marks.devices.begin(), marks.devices.end(), is_used);
  const auto known = std::count_if(tick.gpu_processes.begin(), tick.gpu_processes.end(), is_of);
  if (known == 0) tell_without_driver(id, marks, tick);
  if (used == 0 || used != known) return;
  auto device = std::find_if(marks.devices.begin(), marks.devices.end(), is_used);
  for (model::GpuProcessReading& reading : tick.gpu_processes) {
    if (!is_of(reading)) continue;
    if (device->reserved_bytes <= reading.bytes) reading.torch = to_reading(*device, marks.pinned_bytes);
    device = std::find_if(device + 1, marks.devices.end(), is_used);
  }
}

}  // namespace lowtide::observe

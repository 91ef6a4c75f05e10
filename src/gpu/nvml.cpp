#include "gpu/nvml.h"

#include <algorithm>
#include <array>
#include <utility>

#include "gpu/nvml_library.h"

namespace lowtide::gpu {
namespace {

constexpr unsigned int kMostDevices = 1024;
constexpr std::size_t kMostProcesses = 1U << 16U;

std::string describe(const Functions& nvml, int status) {
  const char* text = nvml.error_string != nullptr ? nvml.error_string(status) : nullptr;
  return text != nullptr ? text : "NVML error " + std::to_string(status);
}

using TextGetter = int (*)(DeviceHandle, char*, unsigned int);

std::string read_device_text(TextGetter getter, DeviceHandle device) {
  std::array<char, 97> text{};  // one more than NVML's largest, and never written: it ends the string
  const bool told = getter != nullptr && getter(device, text.data(), 96) == kSuccess;
  return told ? std::string(text.data()) : std::string();
}

// Fills `into` with what one of NVML's lists holds. False if the driver does not answer.
// The list can grow between two calls, so it is asked for a few times.
template <typename Process>
bool read_list(int (*list)(DeviceHandle, unsigned int*, Process*), DeviceHandle device,
               std::vector<Process>& into) {
  into.resize(std::max<std::size_t>(into.capacity(), 16));
  for (int attempt = 0; attempt < 4; ++attempt) {
    auto count = static_cast<unsigned int>(into.size());
    const int status = list(device, &count, into.data());
    if (status == kSuccess) {
      into.resize(std::min<std::size_t>(count, into.size()));
      return true;
    }
    if (status != kInsufficientSize || count > kMostProcesses) {
      break;
    }
    into.resize(std::max<std::size_t>(into.size() * 2, count + 8));
  }
  into.clear();
  return false;
}

// A process that does both compute and graphics is in both lists, with the same
// bytes: it is counted once.
template <typename Process>
void merge(const std::vector<Process>& list, std::vector<GpuProcess>& into) {
  for (const Process& process : list) {
    const bool known = process.used_bytes != kBytesNotAvailable;
    const std::uint64_t bytes = known ? process.used_bytes : 0;
    const auto found = std::find_if(into.begin(), into.end(),
                                    [&](const GpuProcess& other) { return other.driver_pid == process.pid; });
    if (found == into.end()) {
      into.push_back({.driver_pid = process.pid, .bytes = bytes, .bytes_known = known});
    } else {
      found->bytes = std::max(found->bytes, bytes);
      found->bytes_known = found->bytes_known || known;
    }
  }
}

}  // namespace

struct Nvml::Library {
  Functions nvml;
  std::vector<DeviceHandle> handles;
  std::vector<Device> devices;
  std::string driver_version;
  std::vector<ProcessV1> list_v1;
  std::vector<ProcessV2> list_v2;

  bool read_memory(DeviceHandle device, GpuReading& into) const;
  bool read_processes(DeviceHandle device, ListProcessesV2 newer, ListProcessesV1 older, GpuReading& into);
};

bool Nvml::Library::read_memory(DeviceHandle device, GpuReading& into) const {
  MemoryV2 newer{};
  newer.version = kMemoryV2;
  if (nvml.memory_v2 != nullptr && nvml.memory_v2(device, &newer) == kSuccess) {
    into.total_bytes = newer.total_bytes;
    into.used_bytes = newer.used_bytes;
    return true;
  }
  MemoryV1 older{};
  if (nvml.memory_v1(device, &older) != kSuccess) {
    return false;
  }
  into.total_bytes = older.total_bytes;
  into.used_bytes = older.used_bytes;
  return true;
}

bool Nvml::Library::read_processes(DeviceHandle device, ListProcessesV2 newer, ListProcessesV1 older,
                                   GpuReading& into) {
  if (newer != nullptr && read_list(newer, device, list_v2)) {
    merge(list_v2, into.processes);
    return true;
  }
  // Not after a newer one that failed: the driver would fail again.
  if (newer == nullptr && older != nullptr && read_list(older, device, list_v1)) {
    merge(list_v1, into.processes);
    return true;
  }
  return false;
}

Nvml::Nvml(std::unique_ptr<Library> library) : library_(std::move(library)) {}
Nvml::Nvml(Nvml&& other) noexcept = default;

Nvml& Nvml::operator=(Nvml&& other) noexcept {
  std::swap(library_, other.library_);
  return *this;
}

Nvml::~Nvml() {
  if (library_) {
    library_->nvml.shutdown();
  }
}

base::Result<Nvml> Nvml::load(const std::string& library) {
  auto functions = load_functions(library);
  if (!functions) {
    return std::move(functions).error();
  }
  const Functions& nvml = functions.value();
  if (const int status = nvml.init(); status != kSuccess) {
    return base::Error{base::ErrorCode::Unsupported, "NVML failed to start: " + describe(nvml, status)};
  }
  // From here on its destructor shuts NVML down.
  Nvml loaded(std::make_unique<Library>());
  Library& state = *loaded.library_;
  state.nvml = nvml;
  unsigned int count = 0;
  if (const int status = nvml.device_count(&count); status != kSuccess) {
    return base::Error{base::ErrorCode::Unsupported,
                       "NVML cannot count the devices: " + describe(nvml, status)};
  }
  for (unsigned int index = 0; index < std::min(count, kMostDevices); ++index) {
    DeviceHandle device = nullptr;
    // Denied in a container that was given only some of the devices.
    if (nvml.device_by_index(index, &device) != kSuccess) {
      continue;
    }
    state.handles.push_back(device);
    state.devices.push_back({.index = static_cast<int>(index),
                             .name = read_device_text(nvml.device_name, device),
                             .uuid = read_device_text(nvml.device_uuid, device)});
  }
  if (state.handles.empty()) {
    return base::Error{base::ErrorCode::Unsupported, "the NVIDIA driver reports no device"};
  }
  std::array<char, 81> version{};
  if (nvml.driver_version != nullptr && nvml.driver_version(version.data(), 80) == kSuccess) {
    state.driver_version = version.data();
  }
  return loaded;
}

std::span<const Device> Nvml::devices() const {
  return library_->devices;
}
const std::string& Nvml::driver_version() const {
  return library_->driver_version;
}

base::Result<std::size_t> Nvml::read(std::vector<GpuReading>& readings) {
  Library& state = *library_;
  readings.resize(state.handles.size());
  std::size_t read = 0;
  for (std::size_t at = 0; at < state.handles.size(); ++at) {
    GpuReading& reading = readings[read];
    reading.index = state.devices[at].index;
    reading.processes.clear();
    if (!state.read_memory(state.handles[at], reading)) {
      continue;
    }
    const bool compute =
        state.read_processes(state.handles[at], state.nvml.compute_v2, state.nvml.compute_v1, reading);
    const bool graphics =
        state.read_processes(state.handles[at], state.nvml.graphics_v2, state.nvml.graphics_v1, reading);
    reading.processes_known = compute || graphics;
    ++read;
  }
  const std::size_t left_out = readings.size() - read;
  readings.resize(read);
  if (read == 0) {
    return base::Error{base::ErrorCode::Io, "no GPU responds any more"};
  }
  return left_out;
}

}  // namespace lowtide::gpu

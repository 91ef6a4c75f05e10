// GPU memory through NVIDIA's management library, if the machine has it.
//
// The library belongs to the driver, so it is opened at run time and never
// linked: without a GPU lowtide works as before, and load() returns why there is
// none. Reading costs some 100 us a device and does not touch the job.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "gpu/reading.h"

namespace lowtide::gpu {

class Nvml {
 public:
  // Unsupported, with the reason, where there is no library, no driver or no
  // device; in the static build always.
  static base::Result<Nvml> load(const std::string& library = "libnvidia-ml.so.1");

  Nvml(Nvml&& other) noexcept;
  Nvml& operator=(Nvml&& other) noexcept;
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml();

  [[nodiscard]] std::span<const Device> devices() const;
  [[nodiscard]] const std::string& driver_version() const;  // "" if it is not known

  // One reading per device, into the same vector each time: no allocation once
  // warm. A device that fails (fallen off the bus) is left out and the others
  // are read; the value is how many were left out. Error when all failed.
  base::Result<std::size_t> read(std::vector<GpuReading>& readings);

 private:
  struct Library;
  explicit Nvml(std::unique_ptr<Library> library);

  std::unique_ptr<Library> library_;
};

}  // namespace lowtide::gpu

// The memory of the GPUs, once the job uses one.
//
// The driver's library takes 18 MB of the process that loads it, more than all the
// rest of the monitor: it is loaded when a process of the tree has opened the driver.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu/nvml.h"
#include "model/tick.h"
#include "observe/tree/process_tree.h"
#include "procfs/roots.h"

namespace lowtide::observe {

class GpuWatch {
 public:
  struct Driver {
    std::string library = "libnvidia-ml.so.1";
    std::string device = "/dev/nvidiactl";  // who uses a GPU has it open
  };
  explicit GpuWatch(procfs::Roots roots) : GpuWatch(std::move(roots), Driver()) {}
  GpuWatch(procfs::Roots roots, Driver driver) : roots_(std::move(roots)), driver_(std::move(driver)) {}

  // Fills the readings of the GPUs into `tick`, where they are due.
  void read(double at_s, std::vector<Member>& members, model::Tick& tick);

  // Those of the machine; none before the job uses one.
  [[nodiscard]] std::span<const gpu::Device> devices() const;
  // Some of the memory may be that of the job, and cannot be given to a process.
  [[nodiscard]] bool is_unclear() const { return is_unclear_; }

 private:
  [[nodiscard]] bool is_opened_by(Member& member) const;
  void load();

  procfs::Roots roots_;
  Driver driver_;
  bool was_tried_ = false;
  bool is_unclear_ = false;
  bool in_initial_namespace_ = true;
  std::optional<gpu::Nvml> nvml_;
  std::vector<gpu::GpuReading> readings_;
  double next_s_ = 0;
};

}  // namespace lowtide::observe

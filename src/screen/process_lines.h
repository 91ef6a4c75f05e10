// The process table, from the ticks. A process is kept as long as it runs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "model/process.h"
#include "model/tick.h"
#include "screen/low_water.h"
#include "screen/view.h"

namespace lowtide::screen {

// A process that runs now.
struct ProcessNow {
  const model::ProcessInfo* info = nullptr;
  std::optional<double> cpu_s = {};  // CPU time; absent: not read
};

class ProcessLines {
 public:
  void add(const model::Tick& tick);

  // The processes in `now`; the others are forgotten. `at_s` is the time at which their CPU time was read.
  std::vector<ProcessLine> lines(std::span<const ProcessNow> now, double at_s);

 private:
  struct Known {
    LowWater low;
    std::uint64_t bytes = 0;
    std::optional<double> cpu_s = {};
    double cpu_at_s = 0;
    std::optional<double> cpu_share = {};
  };

  static void note_cpu(Known& known, const std::optional<double>& cpu_s, double at_s);

  std::map<model::ProcessId, Known> known_;
};

}  // namespace lowtide::screen

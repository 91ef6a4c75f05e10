// The process table: what every tick tells of each process, kept for as long as the process is there.
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

// A process that is there now.
struct ProcessNow {
  const model::ProcessInfo* info = nullptr;
  std::optional<double> cpu_s = {};  // used so far; absent: not read
};

class ProcessLines {
 public:
  void add(const model::Tick& tick);

  // Those that are in `now`; others are forgotten. `at_s` is when their CPU time was read.
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

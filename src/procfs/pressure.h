#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "procfs/roots.h"
#include "procfs/text_file.h"

namespace lowtide::procfs {

// The share of time in which tasks waited for memory, in percent, and the sum.
struct PressureLine {
  double avg10_percent = 0.0;
  double avg60_percent = 0.0;
  std::uint64_t total_us = 0;
};

struct Pressure {
  PressureLine some;  // at least one task waited
  PressureLine full;  // all of them did
};

base::Result<Pressure> parse_pressure(std::string_view text);

// None where the kernel has no PSI, or it is switched off (psi=0).
base::Result<std::optional<Pressure>> read_pressure(const Roots& roots);
base::Result<std::optional<Pressure>> read_pressure(KeptText& file);
KeptText pressure_file(const Roots& roots);

}  // namespace lowtide::procfs

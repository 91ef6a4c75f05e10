// Memory that was asked of the CUDA driver, by the library that asked and the user's line that led there.
//
// torch and JAX take large pieces and divide them themselves: what becomes of those is in their own books, so
// they are marked. The rest is what the driver charges the process beside its framework.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "explain/evidence/evidence.h"
#include "model/code_line.h"

namespace lowtide::explain {

struct DriverUse {
  std::string library = {};      // "libnccl"; empty: the job's own code
  std::string function = {};     // of the driver, or what the line called through ctypes: "cudaMalloc"
  model::CodeLine line = {};     // the innermost of the user; without a file: none is known
  bool is_of_framework = false;  // torch's or JAX's own pool
  std::vector<const SiteEvidence*> sites = {};

  [[nodiscard]] std::uint64_t bytes_at(double at_s) const;
};

enum class DriverPlace { Gpu, Host };

// Most at the end first. `place`: memory of GPUs, or pinned memory of the host.
std::vector<DriverUse> find_driver_uses(const Evidence& evidence, model::ProcessId process,
                                        DriverPlace place);

// At the times of the readings of the process tree.
RecordedSeries series_of(const DriverUse& use, const Evidence& evidence);

// Between the early and the late part of the run; absent: without steps.
std::optional<double> growth_per_step(const DriverUse& use, const Evidence& evidence);

// "libnccl", "cudaMalloc, called at train.py:63"; printable.
std::string owner_words(const DriverUse& use);
std::string call_words(const DriverUse& use);

}  // namespace lowtide::explain

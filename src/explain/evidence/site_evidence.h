// What the agent saw, as the recording has it.
//
// A site is recorded when it changed, and only while it is among the larger ones:
// between two of its readings it has the value of the earlier.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "explain/evidence/series.h"
#include "model/site.h"
#include "record/reader.h"

namespace lowtide::explain {

struct SiteMoment {
  double at_s = 0;
  std::uint64_t live_bytes = 0;
  std::uint64_t live_samples = 0;
  std::uint64_t allocated_bytes = 0;
  std::uint64_t allocated_samples = 0;
  std::uint64_t shared_bytes = 0;
  std::optional<std::uint64_t> error_bytes = {};
  std::optional<model::OldSamples> old = {};
};

struct SiteEvidence {
  model::SiteInfo info;
  std::vector<SiteMoment> moments;  // oldest first, never empty

  // What was known at that time; all zero before the first reading.
  [[nodiscard]] SiteMoment at(double at_s) const;
};

struct HeapEvidence {
  model::ProcessId process{};
  RecordedSeries live;  // bytes of all its sites
  model::HeapReading last;
};

std::vector<SiteEvidence> read_sites(record::Recording& recording);
// Moves those out whose memory was asked of the CUDA driver.
std::vector<SiteEvidence> take_driver_sites(std::vector<SiteEvidence>& sites);
std::vector<HeapEvidence> read_heaps(record::Recording& recording);

}  // namespace lowtide::explain

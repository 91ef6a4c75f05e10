// The lines that allocate, from the agent's sites, while the job runs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/site.h"
#include "model/tick.h"
#include "screen/low_water.h"
#include "screen/view.h"

namespace lowtide::screen {

class SiteLines {
 public:
  // Call it once per site, before its first reading. Sites beyond a limit are left out.
  void begin(const model::SiteInfo& site);

  // A tick contains only the sites that have changed.
  void add(const model::Tick& tick);

  // The lines of the processes in `pids`; the others are forgotten.
  std::vector<SiteLine> lines(const std::map<model::ProcessId, std::int64_t>& pids, double at_s);

 private:
  static constexpr std::size_t kMostSites = 50'000;

  using Place = std::pair<model::ProcessId, std::string>;
  struct Known {
    LowWater low;
    std::uint64_t live_bytes = 0;
  };
  struct Site {
    std::map<Place, Known>::iterator place;
    std::uint64_t live_bytes = 0;
  };

  void forget_others(const std::map<model::ProcessId, std::int64_t>& pids);

  std::map<Place, Known> places_;
  std::unordered_map<std::uint32_t, Site> sites_;  // by SiteId
};

}  // namespace lowtide::screen

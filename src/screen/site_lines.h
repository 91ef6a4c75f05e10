// The lines that allocate, put together from the agent's sites while the job runs.
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
  // Each site once, before its first reading. Sites past a bound are left out.
  void begin(const model::SiteInfo& site);

  // A tick tells only of sites that have changed.
  void add(const model::Tick& tick);

  // Of processes in `pids`; what others had is forgotten with them.
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

// What the scripts of the page read: the report and the run over time, as one JSON text (docs/page.md).
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "model/report.h"
#include "model/site_report.h"
#include "model/trace.h"

namespace lowtide::show {

// The stacks of an earlier run, for a comparison.
struct PageBaseline {
  const model::Profile& profile;
  double growth_scale = 1;  // what its growth is multiplied by, so that both runs have the same length
};

struct PageContents {
  const model::Report& report;
  const model::Trace& trace;
  const model::Profile& profile;
  std::optional<int> again_s = {};  // after how many seconds a served page fetches itself again
  std::optional<PageBaseline> baseline = {};
};

// With more points than this, series are reduced to the lowest and the highest of each bucket of time.
inline constexpr std::size_t kMostPagePoints = 2'000'000;

std::string page_data(const PageContents& contents, std::size_t most_points = kMostPagePoints);

}  // namespace lowtide::show

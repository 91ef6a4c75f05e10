// What the scripts of the page read: the report and the run over time, as one JSON text (docs/page.md).
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "model/report.h"
#include "model/site_report.h"
#include "model/trace.h"

namespace lowtide::show {

struct PageContents {
  const model::Report& report;
  const model::Trace& trace;
  const model::Profile& profile;
  std::optional<int> again_s = {};  // when a page that is served comes anew
};

// More points than this and series are reduced to the lowest and highest of each bucket of time.
inline constexpr std::size_t kMostPagePoints = 2'000'000;

std::string page_data(const PageContents& contents, std::size_t most_points = kMostPagePoints);

}  // namespace lowtide::show

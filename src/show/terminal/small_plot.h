// The picture of a short report: a few rows, the line only, with its lowest and highest value.
#pragma once

#include <cstddef>
#include <vector>

#include "model/series_report.h"
#include "show/terminal/paint.h"

namespace lowtide::show {

struct SmallPlotOptions {
  std::size_t width = 80;
  bool unicode = true;
  std::size_t rows = 5;  // without the axis
};

// Top line first, the axis last. Empty when there is nothing to draw.
std::vector<Line> small_plot(const model::SeriesReport& series, const SmallPlotOptions& options);

}  // namespace lowtide::show

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/outline.h"
#include "model/verdict.h"
#include "show/terminal/paint.h"

namespace lowtide::show {

struct PlotOptions {
  std::size_t width = 80;   // columns, labels included
  std::size_t height = 12;  // rows of the picture itself, without the axis below
  bool unicode = true;      // braille dots; else plain ASCII
  model::Axis axis = model::Axis::Time;
  std::optional<model::Mark> warmup_end;
  std::optional<std::uint64_t> limit_bytes;
};

// The series as a picture, top line first, with its floor filled in as water
// stands in a harbour, the end of the warm-up and the limit where they are in
// sight. Empty when there is nothing to draw.
std::vector<Line> plot(const model::Outline& outline, const PlotOptions& options);

}  // namespace lowtide::show

#include "show/terminal/plot.h"

#include <gtest/gtest.h>

#include "model/sample.h"
#include "show/terminal/layout.h"
#include "show/testing/sample_reports.h"

namespace lowtide::show {
namespace {

TEST(Plot, no_line_is_wider_than_asked_for) {
  const model::Report report = leak_report();
  for (std::size_t width = 30; width < 160; width += 7) {
    for (const bool unicode : {true, false}) {
      PlotOptions options;
      options.width = width;
      options.unicode = unicode;
      options.axis = model::Axis::Step;
      options.limit_bytes = 32ULL << 30U;
      options.warmup_end = model::Mark{700, std::nullopt};
      for (const auto& line : plot(report.runs.front().series.front().outline, options)) {
        EXPECT_LE(display_width(Paint(false)(line)), width);
      }
    }
  }
}

TEST(Plot, nothing_to_draw_draws_nothing) {
  EXPECT_TRUE(plot({}, {}).empty());
  EXPECT_TRUE(plot({model::Stretch{}}, {}).empty());
  PlotOptions tiny;
  tiny.width = 10;
  EXPECT_TRUE(plot(warmup_report().runs.back().series.front().outline, tiny).empty());
}

TEST(Plot, series_of_zeros_without_time_is_drawn) {
  const model::Stretch nothing{model::kUnknown, model::kUnknown, 1, 0, 0, 0};

  EXPECT_EQ(plot({nothing, nothing, nothing}, {}).size(), 15U);
}

TEST(Plot, ascii_stays_ascii) {
  PlotOptions options;
  options.unicode = false;
  options.limit_bytes = 20ULL << 30U;
  options.warmup_end = model::Mark{85, std::nullopt};
  options.axis = model::Axis::Step;
  for (const auto& line : plot(warmup_report().runs.back().series.front().outline, options)) {
    for (const char c : Paint(false)(line)) EXPECT_TRUE(c >= ' ' && c <= '~') << c;
  }
}

}  // namespace
}  // namespace lowtide::show

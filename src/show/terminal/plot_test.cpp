#include "show/terminal/plot.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

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

// A plot of five rows had 125, 100, 75, 25 and 0: the 50 shared a row with the 75.
TEST(Plot, the_numbers_on_the_memory_axis_are_evenly_spaced_at_every_height) {
  for (std::size_t height = 3; height <= 14; ++height) {
    for (const double highest : {1.2e8, 3.9e8, 7.13e8, 5.2e9}) {
      for (const double lowest : {0.0, 0.5 * highest, 0.9 * highest}) {
        const model::Stretch low{
            0, 0, 1, static_cast<std::uint64_t>(lowest), static_cast<std::uint64_t>(lowest), lowest};
        const model::Stretch high{
            9, 9, 1, static_cast<std::uint64_t>(lowest), static_cast<std::uint64_t>(highest), highest};
        PlotOptions options;
        options.height = height;
        options.unicode = false;
        std::vector<double> values;
        for (const Line& line : plot({low, high, high}, options)) {
          const std::string label = line.front().text;
          if (values.size() < height && label.find('B') != std::string::npos)
            values.push_back(std::stod(label));
        }
        ASSERT_GE(values.size(), 2U) << height;
        for (std::size_t at = 2; at < values.size(); ++at) {
          EXPECT_NEAR(values[at - 1] - values[at], values[0] - values[1], 1e-6)
              << height << " rows, " << lowest << " to " << highest;
        }
      }
    }
  }
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

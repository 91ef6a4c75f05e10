#include "show/terminal/plot.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
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

// The rows of a plot that have a number of the memory axis, from the top.
struct Numbers {
  std::vector<std::size_t> rows;
  std::vector<double> values;
};

Numbers numbers_of(double lowest, double highest, const PlotOptions& options) {
  const auto stretch = [](double at, double low, double high) {
    return model::Stretch{at, at, 1, static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high), low};
  };
  const auto lines = plot({stretch(0, lowest, lowest), stretch(9, lowest, highest)}, options);
  Numbers out;
  for (std::size_t row = 0; row < std::min(options.height, lines.size()); ++row) {
    const std::string& label = lines[row].front().text;
    if (label.find('B') == std::string::npos) continue;
    out.rows.push_back(row);
    out.values.push_back(std::stod(label));
  }
  return out;
}

// A plot of five rows had 125, 100, 75, 25 and 0: the 50 shared a row with the 75. Later it had 150, 100,
// nothing, 50 and 0.
TEST(Plot, the_numbers_on_the_memory_axis_are_in_every_nth_row) {
  for (std::size_t height = 3; height <= 30; ++height) {
    for (const double highest : {1.2e8, 1.5e8, 3.9e8, 7.13e8, 5.2e9, 700.0}) {
      for (const double lowest : {0.0, 0.5 * highest, 0.9 * highest}) {
        for (const bool unicode : {true, false}) {
          PlotOptions options;
          options.height = height;
          options.unicode = unicode;
          const Numbers at = numbers_of(lowest, highest, options);
          const auto where = [&] { return fmt::format("{} rows, {} to {}", height, lowest, highest); };
          ASSERT_GE(at.rows.size(), 3U) << where();
          EXPECT_LE(at.rows.size(), 7U) << where();
          EXPECT_EQ(at.rows.back(), height - 1) << where();
          for (std::size_t next = 2; next < at.rows.size(); ++next) {
            EXPECT_EQ(at.rows[next] - at.rows[next - 1], at.rows[1] - at.rows[0]) << where();
            EXPECT_NEAR(at.values[next - 1] - at.values[next], at.values[0] - at.values[1], 1e-6) << where();
          }
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

#include "show/terminal/small_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/units.h"
#include "show/terminal/canvas.h"
#include "show/terminal/curve.h"
#include "show/terminal/layout.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

constexpr std::size_t kLeastColumns = 20;
constexpr double kFlatRange = 0.2;  // of the highest value: less is drawn from zero, so that it looks flat

struct Bounds {
  double low = 0;
  double high = 0;
};

Bounds bounds_of(const model::Outline& outline) {
  Bounds out{static_cast<double>(outline.front().low_bytes), 0};
  for (const model::Stretch& stretch : outline) {
    out.low = std::min(out.low, static_cast<double>(stretch.low_bytes));
    out.high = std::max(out.high, static_cast<double>(stretch.high_bytes));
  }
  if (out.high - out.low < kFlatRange * out.high) out.low = 0;
  return out;
}

std::size_t height_of(double value, const Bounds& bounds, std::size_t levels) {
  const double range = std::max(bounds.high - bounds.low, 1.0);
  const double top = static_cast<double>(levels - 1);
  return static_cast<std::size_t>(std::clamp(std::round((value - bounds.low) / range * top), 0.0, top));
}

// Four heights in one row of characters.
std::vector<std::string> draw_ascii(const std::vector<Column>& columns, const Bounds& bounds,
                                    std::size_t height) {
  constexpr std::string_view kHeights = "_,-'";
  std::vector<std::string> rows(height, std::string(columns.size(), ' '));
  for (std::size_t at = 0; at < columns.size(); ++at) {
    const std::size_t low = height_of(columns[at].low, bounds, height * kHeights.size());
    const std::size_t high = height_of(columns[at].high, bounds, height * kHeights.size());
    for (std::size_t row = low / kHeights.size(); row < high / kHeights.size(); ++row)
      rows[height - 1 - row][at] = '|';
    rows[height - 1 - high / kHeights.size()][at] = kHeights[high % kHeights.size()];
  }
  return rows;
}

std::vector<Line> draw_braille(const std::vector<Column>& columns, const Bounds& bounds, Canvas& canvas) {
  std::size_t before = height_of(columns.front().high, bounds, canvas.dots_up());
  for (std::size_t at = 0; at < columns.size(); ++at) {
    const std::size_t low = height_of(columns[at].low, bounds, canvas.dots_up());
    const std::size_t high = height_of(columns[at].high, bounds, canvas.dots_up());
    // No gap to the column before, so that a steep rise is one line.
    for (std::size_t up = std::min(low, before); up <= std::max(high, before); ++up)
      canvas.dot(at, up, Ink::Series);
    before = high;
  }
  std::vector<Line> out;
  for (std::size_t row = 0; row < canvas.rows(); ++row) out.push_back(canvas.line(row));
  return out;
}

// "step 0          1,490": the first and the last value of the axis.
Line axis_of(const Abscissas& at, std::size_t margin, std::size_t columns) {
  const auto words = [&](double value) {
    return at.kind == Abscissa::Time ? base::format_seconds(value)
                                     : base::format_count(static_cast<std::uint64_t>(std::max(0.0, value)));
  };
  const std::string_view name = at.kind == Abscissa::Step   ? "step "
                                : at.kind == Abscissa::Time ? ""
                                                            : "reading ";
  const std::string first = std::string(name) + words(at.values.front());
  const std::string last = words(at.values.back());
  const std::size_t used = first.size() + last.size();
  return {{Role::Dim,
           std::string(margin, ' ') + first + std::string(used < columns ? columns - used : 1, ' ') + last}};
}

}  // namespace

std::vector<Line> small_plot(const model::SeriesReport& series, const SmallPlotOptions& options) {
  if (series.outline.size() < 2) return {};
  const Bounds bounds = bounds_of(series.outline);
  if (!(bounds.high > 0)) return {};
  const std::string top = base::format_bytes(bounds.high);
  const std::string bottom = base::format_bytes(bounds.low);
  const std::size_t margin = std::max(top.size(), bottom.size()) + 4;
  if (options.width < margin + kLeastColumns) return {};
  const std::size_t columns = options.width - margin;

  const Abscissas at = abscissas(series.outline, series.verdict.axis);
  Canvas canvas(columns, options.rows, true);
  const std::size_t across = options.unicode ? canvas.dots_across() : columns;
  const std::vector<Column> drawn = columns_of(series.outline, at.values, across);

  std::vector<Line> lines;
  if (options.unicode) {
    lines = draw_braille(drawn, bounds, canvas);
  } else {
    for (const std::string& row : draw_ascii(drawn, bounds, options.rows))
      lines.push_back({{Role::Series, row.substr(0, row.find_last_not_of(' ') + 1)}});
  }
  for (std::size_t row = 0; row < lines.size(); ++row) {
    const std::string label = row == 0 ? top : row + 1 == lines.size() ? bottom : "";
    const bool is_blank = lines[row].empty() || (lines[row].size() == 1 && lines[row].front().text.empty());
    const std::string before =
        label.empty() && is_blank ? "" : "  " + pad_left(label, margin - 4) + (is_blank ? "" : "  ");
    lines[row].insert(lines[row].begin(), {Role::Dim, before});
  }
  lines.push_back(axis_of(at, margin, columns));
  return lines;
}

}  // namespace lowtide::show

#include "show/terminal/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/units.h"
#include "show/terminal/canvas.h"
#include "show/terminal/curve.h"
#include "show/terminal/layout.h"
#include "show/terminal/scale.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

struct Glyphs {
  std::string_view upright;
  std::string_view tick;
  std::string_view corner;
  std::string_view across;
  std::string_view tick_below;
  std::string_view mark;
  std::string_view limit;
};

constexpr Glyphs kUnicode{"│", "┤", "└", "─", "┴", "┊", "╌"};
constexpr Glyphs kAscii{"|", "+", "+", "-", "+", ":", "-"};

// The plot as it is put together: the picture, its scales, the width of the labels on the left.
struct Picture {
  Canvas canvas;
  Scale bytes;
  Scale across;
  Abscissa abscissa = Abscissa::Reading;
  std::size_t margin = 0;
  const Glyphs& glyphs;

  [[nodiscard]] std::size_t dot_up(double value) const {
    const double top = static_cast<double>(canvas.dots_up() - 1);
    return static_cast<std::size_t>(std::clamp(std::round(bytes.position(value) * top), 0.0, top));
  }
  [[nodiscard]] std::size_t row_of(double value) const {
    return (canvas.dots_up() - 1 - dot_up(value)) / canvas.dots_per_row();
  }
  [[nodiscard]] std::size_t column_of(double value) const {
    const double last = static_cast<double>(canvas.columns() - 1);
    return static_cast<std::size_t>(std::clamp(std::round(across.position(value) * last), 0.0, last));
  }
};

// Thin enough to look different from the series without colour.
bool is_water(std::size_t across, std::size_t up, bool unicode) {
  return !unicode || (across % 2 == 0 && up % 4 == 1);
}

void draw_columns(Picture& picture, const std::vector<Column>& columns, bool unicode) {
  for (std::size_t at = 0; at < columns.size(); ++at) {
    const std::size_t floor = picture.dot_up(columns[at].floor);
    for (std::size_t up = 0; up < floor; ++up) {
      if (is_water(at, up, unicode)) picture.canvas.dot(at, up, Ink::Water);
    }
    picture.canvas.dot(at, floor, Ink::Floor);
  }
  for (std::size_t at = 0; at < columns.size(); ++at) {
    std::size_t low = picture.dot_up(columns[at].low);
    std::size_t high = picture.dot_up(columns[at].high);
    if (at > 0) {  // no gap to the column before, so that a steep rise is one line
      low = std::min(low, picture.dot_up(columns[at - 1].high) + 1);
      high = std::max(high,
                      picture.dot_up(columns[at - 1].low) > 0 ? picture.dot_up(columns[at - 1].low) - 1 : 0);
    }
    for (std::size_t up = low; up <= high; ++up) picture.canvas.dot(at, up, Ink::Series);
  }
}

// Writes `text` into free cells of the row, beside the column: right of it, else left.
bool write_beside(Canvas& canvas, std::size_t row, std::size_t column, std::string_view text, Role role) {
  const std::size_t width = text.size();  // our own words: ASCII
  std::size_t first = column + 2;
  if (!canvas.is_free(row, first, first + width - 1)) {
    if (column < width + 2) return false;
    first = column - width - 1;
    if (!canvas.is_free(row, first, first + width - 1)) return false;
  }
  for (std::size_t at = 0; at < width; ++at) canvas.glyph(first + at, row, text.substr(at, 1), role);
  return true;
}

void draw_limit(Picture& picture, std::uint64_t limit_bytes) {
  const std::size_t row = picture.row_of(static_cast<double>(limit_bytes));
  const std::string label = " limit " + base::format_limit(limit_bytes) + " ";
  const std::size_t columns = picture.canvas.columns();
  if (columns > label.size() + 4) {
    const std::size_t first = columns - label.size() - 1;
    if (picture.canvas.is_free(row, first - 1, columns - 1)) {
      for (std::size_t at = 0; at < label.size(); ++at) {
        picture.canvas.glyph(first + at, row, std::string_view(label).substr(at, 1), Role::Limit);
      }
    }
  }
  for (std::size_t column = 0; column < columns; ++column) {
    if (picture.canvas.is_free(row, column, column)) {
      picture.canvas.glyph(column, row, picture.glyphs.limit, Role::Limit);
    }
  }
}

void draw_warmup_end(Picture& picture, const model::Mark& end) {
  const std::optional<double> at = picture.abscissa == Abscissa::Step   ? end.step
                                   : picture.abscissa == Abscissa::Time ? end.at_s
                                                                        : std::nullopt;
  if (!at || *at < picture.across.low || *at > picture.across.high) return;
  const std::size_t column = picture.column_of(*at);
  const std::string label = "warm-up ended, " + place(end);
  // Where the label fits best: the highest row that is free, or the short form.
  const auto write = [&](std::string_view text) {
    for (std::size_t row = 0; row < picture.canvas.rows(); ++row) {
      if (write_beside(picture.canvas, row, column, text, Role::Mark)) return true;
    }
    return false;
  };
  if (!write(label)) write(place(end));
  for (std::size_t row = 0; row < picture.canvas.rows(); ++row) {
    if (picture.canvas.is_free(row, column, column)) {
      picture.canvas.glyph(column, row, picture.glyphs.mark, Role::Mark);
    }
  }
}

// The line below the picture with its ticks, and the labels under them.
std::vector<Line> bottom_axis(const Picture& picture) {
  const std::size_t columns = picture.canvas.columns();
  std::vector<bool> ticked(columns, false);
  std::string name = picture.abscissa == Abscissa::Step   ? "step"
                     : picture.abscissa == Abscissa::Time ? "time"
                                                          : "reading";
  if (name.size() > picture.margin) name = "#";
  std::string labels = pad_left(name, picture.margin) + "  ";
  const std::size_t origin = labels.size();
  for (const Tick& tick : picture.across.ticks) {
    const std::size_t column = picture.column_of(tick.value);
    const std::size_t half = tick.label.size() / 2;
    const std::size_t start = origin + column > half ? origin + column - half : 0;
    const bool room = start > labels.size() || (labels.size() == origin && start >= origin);
    if (!room || start + tick.label.size() > origin + columns) continue;
    ticked[column] = true;
    labels += std::string(start - labels.size(), ' ') + tick.label;
  }
  std::string line = std::string(picture.margin + 1, ' ') + std::string(picture.glyphs.corner);
  for (std::size_t column = 0; column < columns; ++column) {
    line += ticked[column] ? picture.glyphs.tick_below : picture.glyphs.across;
  }
  return {{{Role::Dim, line}}, {{Role::Dim, labels}}};
}

Scale scale_across(const Abscissas& at, std::size_t columns) {
  const std::size_t most_ticks = std::max<std::size_t>(columns / 12, 2);
  if (at.kind == Abscissa::Time) return time_scale(at.values.front(), at.values.back(), most_ticks);
  return count_scale(at.values.front(), at.values.back(), most_ticks);
}

}  // namespace

std::vector<Line> plot(const model::Outline& outline, const PlotOptions& options) {
  constexpr std::size_t kLeastColumns = 20;
  constexpr double kLimitInSight = 1.8;
  if (outline.size() < 2 || options.height < 3) return {};

  double lowest = static_cast<double>(outline.front().low_bytes);
  double highest = 0;
  for (const model::Stretch& stretch : outline) {
    lowest = std::min(lowest, static_cast<double>(stretch.low_bytes));
    highest = std::max(highest, static_cast<double>(stretch.high_bytes));
  }
  // A limit far above the series would press it flat against the ground.
  const bool limit_in_sight =
      options.limit_bytes && static_cast<double>(*options.limit_bytes) <= kLimitInSight * highest;
  if (limit_in_sight) highest = std::max(highest, static_cast<double>(*options.limit_bytes));

  const Scale bytes = byte_scale(lowest, highest, options.height);
  std::size_t margin = 0;
  for (const Tick& tick : bytes.ticks) margin = std::max(margin, tick.label.size());
  margin += 2;
  if (options.width < margin + 2 + kLeastColumns) return {};
  const std::size_t columns = options.width - margin - 2;

  const Abscissas at = abscissas(outline, options.axis);
  Picture picture{Canvas(columns, options.height, options.unicode),
                  bytes,
                  scale_across(at, columns),
                  at.kind,
                  margin,
                  options.unicode ? kUnicode : kAscii};
  draw_columns(picture, columns_of(outline, at.values, picture.canvas.dots_across()), options.unicode);
  if (options.warmup_end) draw_warmup_end(picture, *options.warmup_end);
  if (limit_in_sight) draw_limit(picture, *options.limit_bytes);

  std::vector<Line> lines;
  for (std::size_t row = 0; row < options.height; ++row) {
    std::string label;
    for (const Tick& tick : bytes.ticks) {
      if (picture.row_of(tick.value) == row) label = tick.label;
    }
    const std::string_view upright = label.empty() ? picture.glyphs.upright : picture.glyphs.tick;
    Line line = picture.canvas.line(row);
    line.insert(line.begin(), {Role::Dim, pad_left(label, margin) + " " + std::string(upright)});
    lines.push_back(std::move(line));
  }
  for (Line& line : bottom_axis(picture)) lines.push_back(std::move(line));
  const std::string_view key =
      options.unicode ? "⠒⠒ memory   ⠄⠄ below the floor" : "** memory   .. below the floor";
  if (display_width(key) <= columns)
    lines.push_back({{Role::Plain, std::string(margin + 2, ' ')}, {Role::Dim, std::string(key)}});
  return lines;
}

}  // namespace lowtide::show

// The floor in the picture is a morphological opening of the low edge: first
// the minimum over a window, then the maximum of those. A running minimum alone
// would drag behind a ramp by half a window and show a floor that is too low; the
// opening follows a ramp exactly and still cuts off every excursion narrower
// than the window. It is for the eye only: the floor that the verdict rests on
// is judge's.
#include "show/terminal/curve.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lowtide::show {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// An excursion that fills less than this share of the picture is a spike.
constexpr double kSpikeShare = 0.12;

bool known_and_rising(const std::vector<double>& values) {
  if (values.size() < 2 || !std::isfinite(values.front())) return false;
  for (std::size_t at = 1; at < values.size(); ++at) {
    if (!std::isfinite(values[at]) || values[at] < values[at - 1]) return false;
  }
  return values.back() > values.front();
}

// min(front ... back) or max over a sliding window. The windows are tiny (a few
// dozen columns), so the plain way is quick enough.
template <typename Pick>
std::vector<double> slide(const std::vector<double>& values, std::size_t half, Pick pick) {
  std::vector<double> out(values.size());
  for (std::size_t at = 0; at < values.size(); ++at) {
    const std::size_t first = at > half ? at - half : 0;
    const std::size_t last = std::min(at + half, values.size() - 1);
    double chosen = values[first];
    for (std::size_t other = first + 1; other <= last; ++other) chosen = pick(chosen, values[other]);
    out[at] = chosen;
  }
  return out;
}

std::vector<double> opening(const std::vector<double>& low, std::size_t half) {
  // Continued beyond both ends by turning it about its end points, so that a
  // ramp goes on as a ramp and its floor does not sag at the edge.
  const std::size_t size = low.size();
  const std::size_t margin = std::min(2 * half, size - 1);
  std::vector<double> padded;
  padded.reserve(size + 2 * margin);
  for (std::size_t at = margin; at > 0; --at) padded.push_back(2 * low.front() - low[at]);
  padded.insert(padded.end(), low.begin(), low.end());
  for (std::size_t at = 1; at <= margin; ++at) padded.push_back(2 * low.back() - low[size - 1 - at]);

  const auto lower = [](double a, double b) { return std::min(a, b); };
  const auto upper = [](double a, double b) { return std::max(a, b); };
  const std::vector<double> opened = slide(slide(padded, half, lower), half, upper);
  const auto begin = opened.begin() + static_cast<std::ptrdiff_t>(margin);
  return {begin, begin + static_cast<std::ptrdiff_t>(size)};
}

}  // namespace

Abscissas abscissas(const model::Outline& outline, model::Axis axis) {
  std::vector<double> steps;
  std::vector<double> seconds;
  std::vector<double> readings;
  double reading = 1;
  for (const model::Stretch& stretch : outline) {
    steps.push_back(stretch.step);
    seconds.push_back(stretch.at_s);
    readings.push_back(reading);
    reading += static_cast<double>(std::max<std::uint64_t>(stretch.samples, 1));
  }
  const bool by_step = known_and_rising(steps);
  const bool by_time = known_and_rising(seconds);
  if (by_step && (axis == model::Axis::Step || !by_time)) return {Abscissa::Step, std::move(steps)};
  if (by_time) return {Abscissa::Time, std::move(seconds)};
  return {Abscissa::Reading, std::move(readings)};
}

std::vector<Column> columns_of(const model::Outline& outline, const std::vector<double>& at,
                               std::size_t columns) {
  std::vector<Column> out(columns, Column{kNone, kNone, kNone});
  if (outline.empty() || columns == 0) return out;

  const double first = at.front();
  const double span = std::max(at.back() - first, std::numeric_limits<double>::min());
  const auto column_of = [&](double value) {
    const double position = (value - first) / span * static_cast<double>(columns - 1);
    return std::min(columns - 1, static_cast<std::size_t>(std::max(0.0, std::round(position))));
  };

  std::size_t before = column_of(at.front());
  double value_before = outline.front().mean_bytes;
  for (std::size_t index = 0; index < outline.size(); ++index) {
    const model::Stretch& stretch = outline[index];
    const std::size_t here = column_of(at[index]);
    for (std::size_t between = before + 1; between < here; ++between) {
      const double share = static_cast<double>(between - before) / static_cast<double>(here - before);
      const double value = value_before + share * (stretch.mean_bytes - value_before);
      out[between] = {value, value, kNone};
    }
    Column& column = out[here];
    column.low = std::fmin(column.low, static_cast<double>(stretch.low_bytes));  // fmin, fmax: NaN gives way
    column.high = std::fmax(column.high, static_cast<double>(stretch.high_bytes));
    before = here;
    value_before = stretch.mean_bytes;
  }

  std::vector<double> low;
  low.reserve(out.size());
  for (const Column& column : out) low.push_back(column.low);
  const auto half = static_cast<std::size_t>(static_cast<double>(columns) * kSpikeShare / 2) + 1;
  const std::vector<double> floor = opening(low, half);
  for (std::size_t index = 0; index < columns; ++index) {
    out[index].floor = std::clamp(floor[index], 0.0, std::max(out[index].low, 0.0));
  }
  return out;
}

}  // namespace lowtide::show

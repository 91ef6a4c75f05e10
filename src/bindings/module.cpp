// The Python module lowtide._native: converts values, releases the GIL and calls the library. It has no
// logic.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "judge/detector.h"
#include "judge/floor_trend.h"
#include "judge/live.h"
#include "model/sample.h"
#include "show/json/verdict.h"

namespace lowtide::bindings {
namespace {

namespace nb = nanobind;

using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

constexpr double kMostBytes = 9e18;  // fits into 64 bits

double at(const Numbers& numbers, std::size_t index) {
  return index < numbers.shape(0) ? numbers.data()[index] : model::kUnknown;
}

// A value that cannot be a size of memory is a missing reading. Time starts at the first reading.
std::vector<model::Sample> to_samples(const Numbers& bytes, const Numbers& steps, const Numbers& seconds) {
  std::vector<model::Sample> samples;
  samples.reserve(bytes.shape(0));
  double begin_s = model::kUnknown;
  for (std::size_t index = 0; index < bytes.shape(0); ++index) {
    const double value = at(bytes, index);
    if (!(value >= 0 && value < kMostBytes)) continue;
    if (std::isnan(begin_s)) begin_s = at(seconds, index);
    samples.push_back(
        {at(seconds, index) - begin_s, at(steps, index), static_cast<std::uint64_t>(std::llround(value))});
  }
  return samples;
}

template <typename Judge>
model::Verdict verdict_of(const std::vector<model::Sample>& samples) {
  Judge judge;
  for (const model::Sample& sample : samples) judge.add(sample);
  return judge.verdict();
}

std::string judge_series(const Numbers& bytes, const Numbers& steps, const Numbers& seconds, bool running) {
  const std::vector<model::Sample> samples = to_samples(bytes, steps, seconds);
  const nb::gil_scoped_release release;
  const model::Verdict verdict =
      running ? verdict_of<judge::LiveVerdict>(samples) : verdict_of<judge::Detector>(samples);
  return show::written(show::json_of(verdict));
}

double trend_of_floor(const Numbers& bytes) {
  return judge::floor_trend({bytes.data(), bytes.shape(0)});
}

}  // namespace
}  // namespace lowtide::bindings

NB_MODULE(_native, module) {
  module.def("judge", &lowtide::bindings::judge_series, nanobind::arg("series"), nanobind::arg("steps"),
             nanobind::arg("seconds"), nanobind::arg("running"),
             "The verdict on a series of bytes, as JSON (docs/json.md); an empty axis is unknown.");
  module.def("floor_trend", &lowtide::bindings::trend_of_floor, nanobind::arg("series"),
             "The trend of the floor of a series, in bytes over the whole series (src/judge/floor_trend.h).");
}

// A generation as curves over one axis: what the shape is read from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "judge/generation.h"
#include "model/verdict.h"

namespace lowtide::judge {

struct Curve {
  model::Axis axis = model::Axis::Time;
  bool counted = false;      // neither steps nor time were known: x numbers the readings
  std::vector<double> x;     // step, or seconds, or the number of the reading where neither is known
  std::vector<double> at_s;  // NaN where not known
  std::vector<double> low;   // of the bucket
  std::vector<double> high;
  std::vector<double> mean;
  std::vector<double> index;  // of the bucket's first sample within the generation
  double level = 0;           // typical bytes at the end
  double noise = 0;           // sample-to-sample spread, spikes set aside
  std::size_t startup = 0;    // leading buckets that belong to the start of the process
  std::uint64_t samples = 0;

  [[nodiscard]] std::size_t size() const { return x.size(); }
};

Curve make_curve(const Generation& generation);

// Sets level, noise and startup from the readings.
void measure_curve(Curve& curve);

}  // namespace lowtide::judge

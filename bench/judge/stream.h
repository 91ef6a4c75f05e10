// Endless series to feed a detector with, made block by block so that making
// them is not measured and ten million samples need no memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/sample.h"
#include "verdict/rng.h"

namespace lowtide::bench {

enum class Shape {
  Noise,         // flat, time only
  Ramp,          // a leak under noise, time only
  StepsAndTime,  // a warm-up, then noise; both axes
  Spikes,        // validation every 500 samples, both axes
};

[[nodiscard]] std::string_view to_string(Shape shape);

class Stream {
 public:
  explicit Stream(Shape shape) : shape_(shape), rng_(17) {}

  // The next `count` samples; valid until the next call.
  const std::vector<model::Sample>& next(std::size_t count);

 private:
  [[nodiscard]] double floor_mb(double index) const;

  Shape shape_;
  Rng rng_;
  std::uint64_t made_ = 0;
  std::vector<model::Sample> block_;
};

}  // namespace lowtide::bench

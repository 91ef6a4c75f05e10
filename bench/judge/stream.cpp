#include "judge/stream.h"

#include <algorithm>

namespace lowtide::bench {

std::string_view to_string(Shape shape) {
  switch (shape) {
    case Shape::Noise:
      return "noise";
    case Shape::Ramp:
      return "ramp";
    case Shape::StepsAndTime:
      return "steps and time";
    case Shape::Spikes:
      return "spikes";
  }
  return "noise";
}

double Stream::floor_mb(double index) const {
  constexpr double kLevelMb = 8000;
  switch (shape_) {
    case Shape::Noise:
      return kLevelMb;
    case Shape::Ramp:
      return kLevelMb + 0.002 * index;
    case Shape::StepsAndTime:
      return kLevelMb - std::max(0.0, 4000 - 0.4 * index);
    case Shape::Spikes:
      return kLevelMb + (made_ % 500 < 20 ? 4000 : 0);
  }
  return kLevelMb;
}

const std::vector<model::Sample>& Stream::next(std::size_t count) {
  const bool has_steps = shape_ == Shape::StepsAndTime || shape_ == Shape::Spikes;
  block_.clear();
  block_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto index = static_cast<double>(made_);
    const double noise_mb = rng_.uniform(-20, 20);
    block_.push_back({.at_s = 0.5 * index + rng_.uniform(0, 0.1),
                      .step = has_steps ? 10 * index : model::kUnknown,
                      .bytes = static_cast<std::uint64_t>((floor_mb(index) + noise_mb) * 1e6)});
    ++made_;
  }
  return block_;
}

}  // namespace lowtide::bench

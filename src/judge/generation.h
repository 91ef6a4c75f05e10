// One life of a process, in bounded memory.
//
// Neighbouring samples are merged into at most kCapacity buckets; when they are
// full, pairs are merged and the width doubles. The minimum of a bucket
// survives every merge, and the minimum is what the floor needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/sample.h"

namespace lowtide::judge {

struct Bucket {
  std::uint64_t count = 0;
  double at_s = model::kUnknown;  // of its first sample
  double step = model::kUnknown;  // the first known one
  double low = 0;
  double high = 0;
  double sum = 0;

  [[nodiscard]] double mean() const { return sum / static_cast<double>(count); }
};

class Generation {
 public:
  static constexpr std::size_t kCapacity = 1024;

  void add(double at_s, double step, double bytes);

  [[nodiscard]] std::uint64_t samples() const { return samples_; }
  [[nodiscard]] double last_at_s() const { return last_at_s_; }
  [[nodiscard]] double last_step() const { return last_step_; }

  // Oldest first, the one that is still filling included.
  [[nodiscard]] std::vector<Bucket> buckets() const;

 private:
  void halve();

  std::vector<Bucket> full_;
  Bucket filling_;
  std::uint64_t width_ = 1;
  std::uint64_t samples_ = 0;
  double last_at_s_ = model::kUnknown;
  double last_step_ = model::kUnknown;
};

}  // namespace lowtide::judge

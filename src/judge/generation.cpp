#include "judge/generation.h"

#include <algorithm>
#include <cmath>

namespace lowtide::judge {
namespace {

Bucket merged(const Bucket& first, const Bucket& second) {
  return {first.count + second.count,
          std::isnan(first.at_s) ? second.at_s : first.at_s,
          std::isnan(first.step) ? second.step : first.step,
          std::min(first.low, second.low),
          std::max(first.high, second.high),
          first.sum + second.sum};
}

}  // namespace

void Generation::add(double at_s, double step, double bytes) {
  ++samples_;
  last_at_s_ = at_s;
  if (!std::isnan(step)) last_step_ = step;

  Bucket& bucket = filling_;
  if (bucket.count == 0) {
    bucket = {1, at_s, step, bytes, bytes, bytes};
  } else {
    ++bucket.count;
    if (std::isnan(bucket.step)) bucket.step = step;
    bucket.low = std::min(bucket.low, bytes);
    bucket.high = std::max(bucket.high, bytes);
    bucket.sum += bytes;
  }
  if (bucket.count < width_) return;
  full_.push_back(bucket);
  bucket.count = 0;
  if (full_.size() >= kCapacity) halve();
}

void Generation::halve() {
  for (std::size_t at = 0; at + 1 < full_.size(); at += 2) full_[at / 2] = merged(full_[at], full_[at + 1]);
  full_.resize(full_.size() / 2);
  width_ *= 2;
}

std::vector<Bucket> Generation::buckets() const {
  std::vector<Bucket> out = full_;
  if (filling_.count > 0) out.push_back(filling_);
  return out;
}

}  // namespace lowtide::judge

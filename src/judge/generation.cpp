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
  close_when_full();
}

void Generation::close_when_full() {
  if (filling_.count < width_) return;
  full_.push_back(filling_);
  filling_.count = 0;
  if (full_.size() >= kCapacity) halve();
}

void Generation::add(std::span<const model::Sample> samples) {
  if (samples.empty()) return;
  samples_ += samples.size();
  last_at_s_ = samples.back().at_s;
  const auto stepped = std::find_if(samples.rbegin(), samples.rend(),
                                    [](const model::Sample& sample) { return !std::isnan(sample.step); });
  if (stepped != samples.rend()) last_step_ = stepped->step;
  while (!samples.empty()) {
    const auto part = samples.first(std::min<std::size_t>(samples.size(), width_ - filling_.count));
    fill(part);
    close_when_full();
    samples = samples.subspan(part.size());
  }
}

void Generation::fill(std::span<const model::Sample> samples) {
  Bucket bucket = filling_;
  for (const model::Sample& sample : samples) {
    const auto bytes = static_cast<double>(sample.bytes);
    if (bucket.count == 0) {
      bucket = {1, sample.at_s, sample.step, bytes, bytes, bytes};
      continue;
    }
    ++bucket.count;
    if (std::isnan(bucket.step)) bucket.step = sample.step;
    bucket.low = std::min(bucket.low, bytes);
    bucket.high = std::max(bucket.high, bytes);
    bucket.sum += bytes;  // in their order: sums of doubles depend on it
  }
  filling_ = bucket;
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

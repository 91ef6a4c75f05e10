#include "ingest/runs/progress.h"

#include <algorithm>
#include <cmath>

namespace lowtide::ingest {

bool StepCounter::is_next_epoch(const Progress& progress) const {
  if (!std::isnan(progress.epoch) && !std::isnan(last_.epoch)) {
    return std::floor(progress.epoch) > std::floor(last_.epoch);
  }
  // A bar that was full and begins again.
  return progress.bar && last_.bar && progress.total == last_.total && last_.step >= last_.total;
}

bool StepCounter::falls(const Progress& progress) const {
  return known_ && progress.step < last_.step && !is_next_epoch(progress);
}

double StepCounter::advance(const Progress& progress) {
  if (!known_) {
    known_ = true;
    first_ = first_in_epoch_ = progress.step;
    last_ = progress;
    return progress.step;
  }
  if (progress.step < last_.step && is_next_epoch(progress)) {
    const double seen = last_.step - first_in_epoch_ + stride_;
    const double length = last_.total > 0 ? last_.total : seen;
    double epochs = 1;
    if (!std::isnan(progress.epoch) && !std::isnan(last_.epoch)) {
      epochs = std::clamp(std::floor(progress.epoch) - std::floor(last_.epoch), 1.0, 1e6);
    }
    offset_ += length * epochs;
    first_in_epoch_ = progress.step;
  } else if (progress.step > last_.step) {
    stride_ = progress.step - last_.step;
  }
  const double epoch = last_.epoch;
  last_ = progress;
  if (std::isnan(last_.epoch)) last_.epoch = epoch;
  return offset_ + progress.step;
}

}  // namespace lowtide::ingest

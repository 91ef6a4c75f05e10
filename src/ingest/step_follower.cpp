#include "ingest/step_follower.h"

#include <cmath>

namespace lowtide::ingest {
namespace {

constexpr std::size_t kLongestLine = std::size_t{64} * 1024;
constexpr std::size_t kFallsOfRestart = 30;
constexpr double kMostSteps = 1e15;  // more is a number of another kind

}  // namespace

void StepFollower::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kLongestLine);
    bytes.remove_prefix(piece.size());
    pending_.append(piece);
    std::string_view left = pending_;
    for (std::size_t end = find_line_end(left); end < left.size(); end = find_line_end(left)) {
      facts_.clear();
      parser_.parse({.text = left.substr(0, end)}, facts_);
      for (const FactHeader& header : facts_.headers) take(header);
      left.remove_prefix(end + 1);
    }
    pending_.erase(0, pending_.size() - left.size());
    if (pending_.size() > kLongestLine) pending_.clear();
  }
}

void StepFollower::take(const FactHeader& header) {
  Progress progress;
  for (std::size_t at = 0; at < header.values; ++at) {
    const Value& value = facts_.values[header.first_value + at];
    if (value.negative || !(value.number < kMostSteps)) continue;
    switch (value.role) {
      case Role::Step:
        progress.step = value.number;
        break;
      case Role::BarStep:
        progress.step = value.number;
        progress.bar = true;
        break;
      case Role::StepTotal:
      case Role::BarTotal:
        progress.total = value.number;
        break;
      case Role::Epoch:
        progress.epoch = value.number;
        break;
      default:
        break;
    }
  }
  advance(progress);
}

void StepFollower::advance(Progress progress) {
  if (std::isnan(progress.epoch)) progress.epoch = carried_.epoch;
  carried_.epoch = progress.epoch;
  if (std::isnan(progress.step)) return;
  if (progress.bar && (named_step_seen_ || (carried_.bar && progress.total < carried_.total))) return;
  if (!progress.bar && !named_step_seen_) {
    named_step_seen_ = true;
    counter_.begin_run();
  }
  if (counter_.falls(progress) && ++falls_ < kFallsOfRestart) return;
  if (falls_ >= kFallsOfRestart) counter_.begin_run();
  falls_ = 0;
  carried_ = progress;
  step_ = counter_.advance(progress);
}

}  // namespace lowtide::ingest

#include "judge/detector.h"

namespace lowtide::judge {

void Detector::add(const model::Sample& /*sample*/) {
  ++samples_;
}
void Detector::restart() {}
model::Verdict Detector::verdict() const {
  model::Verdict verdict;
  verdict.samples = samples_;
  verdict.reason = "the detector is not in yet";
  return verdict;
}
std::optional<model::Forecast> Detector::forecast(model::LimitKind, std::uint64_t) const {
  return std::nullopt;
}
model::Outline Detector::outline() const {
  return {};
}

}  // namespace lowtide::judge

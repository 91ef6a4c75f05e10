#include "judge/detector.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/units.h"
#include "judge/assessment.h"
#include "judge/confidence.h"
#include "judge/forecast.h"
#include "judge/missing.h"
#include "judge/wording.h"
#include "model/floor.h"

namespace lowtide::judge {

namespace {

using base::to_bytes;

constexpr std::size_t kGenerationsKept = 4;

model::Mark mark_at(const Curve& curve, std::size_t point) {
  model::Mark mark;
  if (curve.axis == model::Axis::Step && !curve.counted) mark.step = curve.x[point];
  if (!std::isnan(curve.at_s[point])) mark.at_s = curve.at_s[point];
  return mark;
}

}  // namespace

Detector::Detector() : generations_(1) {}

void Detector::begin_generation() {
  if (generations_.back().samples() == 0) return;
  if (generations_.size() == kGenerationsKept) generations_.erase(generations_.begin());
  generations_.emplace_back();
}

void Detector::put(const Reading& reading) {
  generations_.back().add(reading.at_s, reading.step, reading.bytes);
}

void Detector::restart() {
  for (const Reading& reading : unclear_) put(reading);
  unclear_.clear();
  restarts_.reset();
  begin_generation();
}

void Detector::add(const model::Sample& sample) {
  ++samples_;
  const Reading reading{sample.at_s, sample.step, static_cast<double>(sample.bytes)};
  switch (restarts_.add(reading)) {
    case RestartFinder::Answer::Unclear:
      unclear_.push_back(reading);
      return;
    case RestartFinder::Answer::Restarted:
      begin_generation();
      break;
    case RestartFinder::Answer::WasRestart:
      begin_generation();
      [[fallthrough]];
    case RestartFinder::Answer::WasDip:
      for (const Reading& kept : unclear_) put(kept);
      unclear_.clear();
      break;
    case RestartFinder::Answer::Continues:
      break;
  }
  put(reading);
}

std::vector<Generation> Detector::generations() const {
  std::vector<Generation> out = generations_;
  if (unclear_.size() > 2) {  // low for a while: more likely a restart than a dip
    out.emplace_back();
    for (const Reading& reading : unclear_) out.back().add(reading.at_s, reading.step, reading.bytes);
  }
  return out;
}

model::Verdict Detector::verdict(Needs estimate) const {
  const Assessment a = assess(generations());
  model::Verdict out = to_verdict(a, samples_);
  if (out.kind == model::VerdictKind::Inconclusive)
    out.needs = estimate == Needs::Estimated ? needs(a, required_at_end()) : longer_run();
  return out;
}

std::optional<model::Forecast> Detector::forecast(model::LimitKind limit, std::uint64_t limit_bytes) const {
  return judge::forecast(assess(generations()), limit, limit_bytes);
}

model::Outline Detector::outline() const {
  model::Outline out;
  for (const Generation& generation : generations()) {
    for (const Bucket& bucket : generation.buckets()) {
      out.push_back({bucket.at_s, bucket.step, bucket.count, to_bytes(bucket.low), to_bytes(bucket.high),
                     bucket.mean()});
    }
  }
  return out;
}

model::Verdict to_verdict(const Assessment& a, std::uint64_t samples) {
  const Evidence& e = a.evidence;
  model::Verdict out;
  out.kind = a.decision.kind;
  out.confidence = confidence(a);
  out.axis = e.curve.axis;
  out.counted = e.curve.counted;
  out.samples = samples;
  out.rate = growth_rate(a);
  out.floor = model::find_floor(std::span(e.curve.low).subspan(std::min(e.first, e.curve.size())));
  if (const auto& settled = a.decision.settled) {
    out.plateau_bytes = to_bytes(settled->plateau);
    if (settled->warmup_end) out.warmup_end = mark_at(e.curve, *settled->warmup_end);
  }
  out.spikes = e.spikes;
  if (e.spikes > 0) out.spike_bytes = to_bytes(e.spike_bytes);
  out.levels = find_levels(a);
  Reason why = reason(a, out.floor, out.levels);
  out.reason = std::move(why.text);
  out.is_reason_on_floor = why.is_on_floor;
  if (out.kind == model::VerdictKind::Inconclusive) out.lean = lean(a);
  return out;
}

}  // namespace lowtide::judge

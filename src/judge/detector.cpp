#include "judge/detector.h"

#include <algorithm>
#include <cmath>

#include "judge/decision.h"
#include "judge/statistics.h"

namespace lowtide::judge {

namespace {

constexpr std::size_t kGenerationsKept = 4;

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

model::Verdict Detector::verdict() const {
  Detector copy = *this;
  if (copy.unclear_.size() > 2) {
    copy.begin_generation();
    for (auto& r : copy.unclear_) copy.put(r);
  }
  const Generation& g = copy.generations_.back();
  Evidence e = gather(g);
  Decision d = decide(e);
  if (copy.generations_.size() > 1 && d.kind == model::VerdictKind::Inconclusive) {
    const Generation& p = copy.generations_[copy.generations_.size() - 2];
    if (static_cast<double>(g.samples()) < std::max(12.0, .15 * static_cast<double>(p.samples()))) {
      Evidence e2 = gather(p);
      Decision d2 = decide(e2);
      if (d2.kind != model::VerdictKind::Inconclusive) { d = d2; e = e2; d.regime = e.latest && d2.regime->start == e.latest->start ? &*e.latest : &e.whole; }
    }
  }
  if (copy.generations_.size() > 1 && d.kind == model::VerdictKind::Inconclusive && e.points >= 12 && e.whole.growing && !e.slowing) {
    const Evidence e2 = gather(copy.generations_[copy.generations_.size() - 2]);
    const Decision d2 = decide(e2);
    if (d2.kind == model::VerdictKind::Leak || (d2.kind == model::VerdictKind::Inconclusive && e2.whole.growing && !e2.slowing && e2.span + e.span >= 400 && e.points + e2.points > 60)) {
      d.kind = model::VerdictKind::Leak; d.regime = &e.whole; d.confidence = .9; d.why = "";
    }
  }
  model::Verdict v;
  v.kind = d.kind;
  v.confidence = d.confidence;
  v.axis = e.curve.axis;
  v.samples = samples_;
  v.reason = d.why;
  if (d.regime) v.rate = model::Rate{d.regime->slope_now, 0, 0};
  if (d.warmup_end) v.warmup_end = model::Mark{e.curve.x[*d.warmup_end], e.curve.at_s[*d.warmup_end]};
  if (d.plateau > 0) v.plateau_bytes = static_cast<std::uint64_t>(d.plateau);
  return v;
}
std::optional<model::Forecast> Detector::forecast(model::LimitKind, std::uint64_t) const { return std::nullopt; }
model::Outline Detector::outline() const { return {}; }

}  // namespace lowtide::judge

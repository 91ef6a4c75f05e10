// The verdict while a job runs.
//
// Judged again and again as samples arrive, a series gets many chances to be
// called a leak by mistake, and a kind that changes every minute is believed by
// nobody. So a live verdict asks for more than the verdict of a run that has
// ended: better odds before it says leak, the same answer for a while before it
// says anything, and a reason before it takes back what it said.
#pragma once

#include <cstdint>

#include "judge/assessment.h"
#include "judge/detector.h"
#include "model/sample.h"
#include "model/verdict.h"

namespace lowtide::judge {

class LiveVerdict {
 public:
  void add(const model::Sample& sample);
  void restart() { detector_.restart(); }

  // What is said at this moment.
  [[nodiscard]] model::VerdictKind kind() const { return said_; }
  [[nodiscard]] model::Verdict verdict() const;

  // Of the same samples, as if the run had ended here; its outline and forecast.
  [[nodiscard]] const Detector& detector() const { return detector_; }

 private:
  void look();

  Detector detector_;
  std::uint64_t next_look_ = 8;
  model::VerdictKind said_ = model::VerdictKind::Inconclusive;
  model::VerdictKind heard_ = model::VerdictKind::Inconclusive;  // at the latest look
  std::uint32_t times_heard_ = 0;
};

}  // namespace lowtide::judge

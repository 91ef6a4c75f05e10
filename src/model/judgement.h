#pragma once

#include <optional>

#include "model/verdict.h"

namespace lowtide::model {

// What was thought of the target at one moment of the run.
struct Judgement {
  double at_s = 0;
  Verdict verdict;
  std::optional<Forecast> forecast;
};

}  // namespace lowtide::model

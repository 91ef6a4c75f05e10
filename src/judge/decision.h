#pragma once

#include <optional>
#include <string>

#include "judge/evidence.h"
#include "model/verdict.h"

namespace lowtide::judge {

struct Decision {
  model::VerdictKind kind = model::VerdictKind::Inconclusive;
  double confidence = 0;
  const Regime* regime = nullptr;
  std::optional<std::size_t> warmup_end;  // point of the curve
  double plateau = 0;
  std::string why;
  bool since_start = false;
};

Decision decide(const Evidence& evidence);

}  // namespace lowtide::judge

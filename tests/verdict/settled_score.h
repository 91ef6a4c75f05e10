// How often the verdict of a whole recording is right, by what it is based on and by how sure it says it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/verdict.h"
#include "verdict/score.h"

namespace lowtide::bench {

struct JudgedJob {
  std::string family;
  bool leaks = false;
  bool is_on_gpu = false;  // the series that gave the verdict
  model::Verdict verdict;

  [[nodiscard]] bool is_open() const { return verdict.kind == model::VerdictKind::Inconclusive; }
  // By more than the series.
  [[nodiscard]] bool is_settled() const { return verdict.basis.size() > 1; }
  [[nodiscard]] bool is_right() const { return (verdict.kind == model::VerdictKind::Leak) == leaks; }
  [[nodiscard]] bool has_lean() const {
    return verdict.lean && verdict.lean->kind != model::VerdictKind::Inconclusive;
  }
  // Of an open verdict with a lean.
  [[nodiscard]] bool leans_right() const { return model::leans_to_leak(verdict) == leaks; }
};

// About `jobs` jobs of all families by their weight: written into `folder`, judged, removed.
base::Result<std::vector<JudgedJob>> judge_jobs(std::uint64_t seed, std::size_t jobs,
                                                const std::string& folder);

// Of the verdicts that are not open, settled by more than the series, and at least so sure: how many are
// right.
Tally settled_right(const std::vector<JudgedJob>& jobs, double confidence);

// What those verdicts say of themselves, on average.
double mean_settled_confidence(const std::vector<JudgedJob>& jobs);

// Tables by kind and basis, by stated confidence, by what open verdicts lean to, and by family.
std::string settled_table(const std::vector<JudgedJob>& jobs);

}  // namespace lowtide::bench

// File systems in memory: when one is full, and whether it was.
#pragma once

#include <optional>
#include <vector>

#include "explain/evidence/evidence.h"
#include "model/verdict.h"
#include "model/watched.h"

namespace lowtide::explain {

// When the first of them is full, if all its files grow as they did. Only one in which files of the job grow:
// otherwise it says nothing about the job.
std::optional<model::Forecast> forecast_tmpfs(const Evidence& evidence);

// The one that comes first; one that is absent never comes.
std::optional<model::Forecast> sooner(std::optional<model::Forecast> a, std::optional<model::Forecast> b);

// The failure that a full tmpfs may have caused: SIGBUS of any process; otherwise that of the job itself,
// unless somebody ended it.
struct Failure {
  const ProcessEvidence* process = nullptr;  // null: there is none
  bool is_sigbus = false;
};
Failure find_failure(const Evidence& evidence);

// How full it was at most in the last readings before `at_s`; absent without a reading.
struct Fullness {
  double share = 0;
  std::uint64_t used_bytes = 0;
  std::uint64_t job_bytes = 0;
};
std::optional<Fullness> fullness_before(const TmpfsEvidence& tmpfs, double at_s);
inline constexpr double kFullShare = 0.99;

std::vector<model::TmpfsReport> tmpfs_reports(const Evidence& evidence);

}  // namespace lowtide::explain

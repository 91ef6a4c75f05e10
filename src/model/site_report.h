// What a report says of the places that allocate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/site.h"
#include "model/trace.h"
#include "model/verdict.h"

namespace lowtide::model {

// All stacks of one process that come from the same line, the one to act on.
struct SiteReport {
  std::int64_t pid = 0;
  Verdict verdict;
  std::uint64_t live_bytes = 0;          // at the end of the run
  std::int64_t growth_bytes = 0;         // from the early to the late part of the run
  std::uint64_t error_bytes = 0;         // of the growth: one standard error of the sampling
  std::optional<double> share = {};      // of the growth of all live memory; absent without such growth
  std::uint64_t live_samples = 0;        // what the live bytes were estimated from
  std::uint64_t allocated_bytes = 0;     // ever
  std::vector<Frame> frames = {};        // of the stack with most growth, innermost first
  std::size_t act_on = 0;                // which of them is the line to look at
  std::string native_function = {};      // that the line called through ctypes or cffi; empty: none
  bool cut = false;                      // there were more frames outside
  std::uint64_t stacks = 1;              // that lead to the line
  std::vector<CounterPoint> curve = {};  // live memory over time, at a few dozen moments
};

// One stack with what is known of it, for other tools.
struct ProfileSample {
  std::int64_t pid = 0;
  std::vector<Frame> frames = {};  // innermost first
  std::uint64_t live_bytes = 0;
  std::uint64_t live_samples = 0;
  std::uint64_t allocated_bytes = 0;
  std::int64_t growth_bytes = 0;
};

enum class ProfileValue { Growth, Live, Allocated };

struct Profile {
  std::string command = {};
  double started_unix_s = 0;
  double duration_s = 0;
  std::uint64_t interval_bytes = 0;  // allocated between two samples
  std::vector<ProfileSample> samples = {};
};

}  // namespace lowtide::model

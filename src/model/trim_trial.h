// What came of asking the allocator of a process to give back what it keeps.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/process.h"

namespace lowtide::model {

enum class TrimOutcome {
  Done,
  NoTrim,      // its allocator has no malloc_trim: it is not glibc's
  NotReached,  // no thread of it allocated in time: it waits for something
  Unfinished,  // begun, and not over when we had to go
};

struct TrimTrial {
  ProcessId process{};
  double at_s = 0;
  TrimOutcome outcome = TrimOutcome::NotReached;
  std::optional<std::uint64_t> rss_before_bytes = {};
  std::optional<std::uint64_t> rss_after_bytes = {};
  double trim_s = 0;                               // in malloc_trim
  std::optional<double> inspect_s = {};            // in mallinfo2, where there is one; with it:
  std::optional<std::uint64_t> arena_bytes = {};   // what the allocator had, without single mappings
  std::optional<std::uint64_t> free_bytes = {};    // of these, in no block, before the trial
  std::optional<std::uint64_t> mapped_bytes = {};  // in blocks that are mappings of their own: in use
};

// The trial as a report shows it.
struct TrimReport {
  std::int64_t pid = 0;
  TrimTrial trial;
};

// 0 where RSS rose meanwhile: others of the process went on.
inline std::optional<std::uint64_t> given_back_bytes(const TrimTrial& trial) {
  if (!trial.rss_before_bytes || !trial.rss_after_bytes) return std::nullopt;
  return *trial.rss_before_bytes > *trial.rss_after_bytes ? *trial.rss_before_bytes - *trial.rss_after_bytes
                                                          : 0;
}

constexpr std::string_view to_string(TrimOutcome outcome) {
  switch (outcome) {
    case TrimOutcome::Done:
      return "done";
    case TrimOutcome::NoTrim:
      return "no-trim";
    case TrimOutcome::NotReached:
      return "not-reached";
    case TrimOutcome::Unfinished:
      return "unfinished";
  }
  return {};
}

}  // namespace lowtide::model

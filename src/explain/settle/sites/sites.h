// The stacks that the agent saw, put together by the line to act on.
//
// A line of Python allocates through dozens of native stacks, and each has a part
// of its growth. What the reader wants is the line, with all of them added up, for
// each process. Workers that were respawned are one process here, as elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "explain/evidence/evidence.h"
#include "model/site_report.h"

namespace lowtide::explain {

struct SiteGroup {
  model::ProcessInfo process;                // the latest of those that followed each other
  std::vector<const SiteEvidence*> members;  // stacks, most growth first; never empty
  std::size_t act_on = 0;                    // in the frames of the first
  RecordedSeries live;
  Window early;              // from here to the late window growth is measured
  bool there_late = false;   // it was still watched then
  double change_bytes = 0;   // of the live memory
  double error_bytes = 0;    // one standard error of it
  double kept_bytes = 0;     // the part of it that came from stacks that free next to nothing
  double new_samples = 0;    // more live samples than at first
  double kept_samples = 0;   // the same of those that are old, where that is known
  double freed_samples = 0;  // since then, of old ones where that is known, else of all
  bool knows_old = false;
  std::uint64_t live_bytes = 0;
  std::uint64_t live_samples = 0;
  std::uint64_t allocated_bytes = 0;
  std::uint64_t shared_bytes = 0;  // of the live ones
  // Filled in by judge_sites().
  bool is_kept = false;    // the samples show that it leaks: next to none freed, rising to the end
  double second_half = 1;  // of the rise: the gain of its second half, as a multiple of the first half's
  model::Verdict verdict;

  [[nodiscard]] bool is_shared() const { return shared_bytes > live_bytes / 2; }

  [[nodiscard]] const std::vector<model::Frame>& frames() const { return members.front()->info.frames; }
  [[nodiscard]] const model::Frame* frame() const;  // the one to act on; null where the stack is empty
  [[nodiscard]] std::string words() const;          // site_words() of it, and the C function that it calls
};

// A process with an agent in it.
struct AgentProcess {
  model::ProcessInfo info;
  RecordedSeries live;
  Window early;
  bool there_late = false;
  double change_bytes = 0;  // of all live memory in it
  double error_bytes = 0;
  double freed_bytes = 0;   // since the agent came
  double native_share = 0;  // of the growth: not of Python objects
};

struct Sites {
  std::vector<SiteGroup> groups;  // most growth first
  std::vector<AgentProcess> processes;
  double growth_bytes = 0;  // of all live memory, what shrank left out

  [[nodiscard]] const AgentProcess* find_process(model::ProcessId id) const;
};

// Grouped and measured; the verdicts are filled in by judge_sites(). Refers to `evidence`.
Sites find_sites(const Evidence& evidence);

// "train.py:47 in validate", "decode_frame in libdecoder.so"; printable.
std::string site_words(const model::Frame* frame);

std::vector<model::SiteReport> site_reports(const Sites& sites);

// Every stack by itself, for other tools.
std::vector<model::ProfileSample> profile_samples(const Evidence& evidence);

}  // namespace lowtide::explain

// What the allocators gave back when they were asked to: retention by experiment.

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/units.h"
#include "explain/findings/advice.h"
#include "explain/findings/catalogue.h"
#include "explain/words.h"

namespace lowtide::explain {
namespace {

// Below this it is what any program keeps at hand.
constexpr double kMuchBytes = 8e6;
constexpr double kMuchShare = 0.05;  // of what was resident

std::string time_words(double seconds) {
  return seconds < 0.0095 ? fmt::format("{:.1f} ms", seconds * 1e3) : fmt::format("{:.0f} ms", seconds * 1e3);
}

std::string who(const Scene& scene, const model::TrimReport& told) {
  const ProcessEvidence* process = scene.evidence.find_process(told.trial.process);
  return process != nullptr ? process_words(process->info) : fmt::format("process {}", told.pid);
}

const char* why_not(model::TrimOutcome outcome) {
  switch (outcome) {
    case model::TrimOutcome::NoTrim:
      return "its allocator has no malloc_trim";
    case model::TrimOutcome::Unfinished:
      return "malloc_trim had not returned when the recording ended";
    case model::TrimOutcome::NotReached:
    case model::TrimOutcome::Done:
      break;
  }
  return "none of its threads allocated in time";
}

std::string told_in_words(const Scene& scene, const model::TrimReport& told) {
  const model::TrimTrial& trial = told.trial;
  const auto given = model::given_back_bytes(trial);
  if (trial.outcome != model::TrimOutcome::Done || !given) {
    return fmt::format(
        "not tried in {}: {}", who(scene, told),
        trial.outcome == model::TrimOutcome::Done ? "its RSS could not be read" : why_not(trial.outcome));
  }
  std::string words =
      fmt::format("{}: RSS {} before malloc_trim and {} after it, in {}", who(scene, told),
                  bytes_words(static_cast<double>(*trial.rss_before_bytes)),
                  bytes_words(static_cast<double>(*trial.rss_after_bytes)), time_words(trial.trim_s));
  if (trial.free_bytes && trial.arena_bytes) {
    words += fmt::format("; its arenas had {}, of which {} was free (mallinfo2)",
                         bytes_words(static_cast<double>(*trial.arena_bytes)),
                         bytes_words(static_cast<double>(*trial.free_bytes)));
  }
  return words;
}

struct Sum {
  double given_bytes = 0;
  double before_bytes = 0;
  double longest_s = 0;
  bool any = false;
};

Sum add_up(const Scene& scene) {
  Sum sum;
  for (const model::TrimReport& told : scene.report.trim_trials) {
    const auto given = model::given_back_bytes(told.trial);
    if (told.trial.outcome != model::TrimOutcome::Done || !given) continue;
    sum.any = true;
    sum.given_bytes += static_cast<double>(*given);
    sum.before_bytes += static_cast<double>(*told.trial.rss_before_bytes);
    sum.longest_s = std::max(sum.longest_s, told.trial.trim_s);
  }
  return sum;
}

}  // namespace

void find_trim_trial(const Scene& scene, Findings& out) {
  if (scene.report.trim_trials.empty()) return;
  const Sum sum = add_up(scene);
  const bool much = sum.given_bytes >= std::max(kMuchBytes, kMuchShare * sum.before_bytes);
  model::Finding finding;
  finding.id = "trim-trial";
  finding.severity = much ? model::Severity::Low : model::Severity::Info;
  finding.confidence = 0.95;
  if (!sum.any) {
    finding.title = "the malloc_trim trial did not run";
  } else if (much) {
    finding.title = fmt::format("malloc_trim(0) released {} in {}: the allocator kept it unused",
                                bytes_words(sum.given_bytes), time_words(sum.longest_s));
    finding.mechanism = model::Mechanism::AllocatorRetention;
    finding.fix = advice::kTrim;
  } else {
    finding.title = fmt::format("malloc_trim(0) released only {} in {}: the resident memory is in use",
                                bytes_words(sum.given_bytes), time_words(sum.longest_s));
  }
  constexpr std::size_t kMostTold = 6;
  for (const model::TrimReport& told : scene.report.trim_trials) {
    if (finding.evidence.size() >= kMostTold) break;
    finding.evidence.emplace_back(told_in_words(scene, told));
  }
  const auto listed = scene.report.trim_trials.size();
  if (listed > kMostTold) {
    finding.evidence.emplace_back(
        fmt::format("and {} more processes", base::format_count(listed - kMostTold)));
  }
  out.push_back(std::move(finding));
}

}  // namespace lowtide::explain

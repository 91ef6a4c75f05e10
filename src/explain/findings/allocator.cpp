// Memory that was freed and that the allocator has not given back; and what the
// agent did not see.

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/text.h"
#include "base/units.h"
#include "explain/findings/advice.h"
#include "explain/findings/catalogue.h"
#include "explain/findings/pinning_variable.h"
#include "explain/settle/growth.h"
#include "explain/words.h"

namespace lowtide::explain {
namespace {

constexpr double kLeastRetainedBytes = 8e6;
constexpr double kLeastRetainedShare = 0.2;  // of the tree's growth
constexpr double kMostRetained = 0.5;

std::string live_words(const HeapGrowth& growth) {
  constexpr double kLittle = 0.001;  // of what the process gained
  if (growth.live_bytes < kLittle * growth.gained_bytes) return "live objects did not grow";
  return fmt::format("live objects grew by only {}", bytes_words(growth.live_bytes));
}

// The trim trial in that process, where there was one.
std::string trial_words(const Scene& scene, const WatchedProcess& process) {
  for (const model::TrimReport& told : scene.report.trim_trials) {
    const auto given = model::given_back_bytes(told.trial);
    if (told.trial.process != process.report.info.id || !given) continue;
    return fmt::format("malloc_trim(0) released {} in {:.0f} ms", bytes_words(static_cast<double>(*given)),
                       told.trial.trim_s * 1e3);
  }
  return {};
}

bool begins_thread(const model::Frame& frame) {
  return frame.function.ends_with("_bootstrap") || frame.function == "start_thread" ||
         frame.function == "clone3";
}

// Of what the process allocates, the part that is allocated in threads beside the first.
double share_of_threads(const Scene& scene, model::ProcessId id) {
  double all = 0;
  double in_threads = 0;
  for (const SiteGroup& group : scene.sites.groups) {
    if (group.process.id != id) continue;
    const auto bytes = static_cast<double>(group.allocated_bytes);
    all += bytes;
    const auto& frames = group.frames();
    if (std::any_of(frames.begin(), frames.end(), begins_thread)) in_threads += bytes;
  }
  return all > 0 ? in_threads / all : 0;
}

void blame_threads(double share, model::Finding& finding) {
  finding.id = "thread-arenas";
  finding.evidence.emplace_back(
      fmt::format("{} of its allocations come from threads, and glibc gives each thread a heap of its own "
                  "(up to 8 per core)",
                  base::format_share(share)));
  finding.fix = advice::kThreadArenas;
  finding.hint = "export MALLOC_ARENA_MAX=2";
  finding.watch = "resident memory stays closer to live memory";
}

}  // namespace

void find_allocator_retention(const Scene& scene, Findings& out) {
  if (!scene.report.growth) return;
  const auto& parts = scene.report.growth->mechanisms;
  const auto part = std::find_if(parts.begin(), parts.end(), [](const model::MechanismShare& each) {
    return each.mechanism == model::Mechanism::AllocatorRetention;
  });
  const LargestPart largest =
      find_largest_part(scene.processes, scene.sites, scene.evidence,
                        [](const HeapGrowth& growth) { return growth.retained_bytes; });
  if (part == parts.end() || largest.process == nullptr || part->share < kLeastRetainedShare ||
      static_cast<double>(part->bytes) < kLeastRetainedBytes) {
    return;
  }
  const bool most = part->share >= kMostRetained;
  const bool rises = scene.report.verdict.kind == model::VerdictKind::Leak ||
                     scene.report.verdict.kind == model::VerdictKind::Inconclusive;
  model::Finding finding;
  finding.id = "allocator-retention";
  finding.severity = !most ? model::Severity::Info : rises ? model::Severity::Medium : model::Severity::Low;
  finding.title =
      most ? fmt::format("the allocator keeps {} of freed memory; {}",
                         bytes_words(static_cast<double>(part->bytes)), live_words(largest.growth))
           : fmt::format("{} of the growth is fragmentation around live objects; it is released with them",
                         bytes_words(static_cast<double>(part->bytes)));
  finding.mechanism = model::Mechanism::AllocatorRetention;
  finding.pid = largest.process->report.info.pid;
  finding.process = process_of(largest.process->report.info);
  finding.growth_bytes = static_cast<double>(part->bytes);
  finding.share = part->share;
  finding.confidence = most ? 0.85 : 0.75;
  finding.evidence = {fmt::format("{} of what {} gained is freed memory",
                                  base::format_share(largest.growth.retained_bytes /
                                                     std::max(1.0, largest.growth.gained_bytes)),
                                  process_words(largest.process->report.info)),
                      fmt::format("its live memory {} (+/- {})", change_words(largest.agent->change_bytes),
                                  bytes_words(largest.agent->error_bytes))};
  if (const std::string trial = trial_words(scene, *largest.process); !trial.empty())
    finding.evidence.emplace_back(trial);
  if (most)
    finding.fix = rises ? advice::kRetention : std::string(advice::kRetentionThatEnded) + advice::kRetention;
  const double in_threads = share_of_threads(scene, largest.process->report.info.id);
  if (most && in_threads >= kMostRetained) blame_threads(in_threads, finding);
  if (most && rises && finding.id == "allocator-retention")
    blame_pinning_variable(scene, largest.process->report.info, finding);
  out.push_back(std::move(finding));
}

void find_agent_faults(const Scene& scene, Findings& out) {
  constexpr double kTooMany = 0.01;  // of the samples
  if (!scene.report.overhead) return;
  const model::OverheadReport& overhead = *scene.report.overhead;
  if (overhead.agent == "switched-off") {
    model::Finding finding;
    finding.id = "agent-switched-off";
    finding.severity = model::Severity::Low;
    finding.title = "the agent switched itself off; allocation lines are known until then";
    finding.confidence = 0.99;
    finding.evidence = {overhead.note.empty() ? "no reason was recorded"
                                              : base::printable(overhead.note, 300)};
    out.push_back(std::move(finding));
  }
  const auto dropped = static_cast<double>(overhead.allocation_samples_dropped);
  if (dropped <= kTooMany * static_cast<double>(overhead.allocation_samples)) return;
  model::Finding finding;
  finding.id = "samples-dropped";
  finding.severity = model::Severity::Low;
  finding.title = fmt::format("{} of {} allocation samples were dropped",
                              base::format_count(overhead.allocation_samples_dropped),
                              base::format_count(overhead.allocation_samples));
  finding.confidence = 0.99;
  finding.evidence = {"the live memory of a line may be larger than reported"};
  out.push_back(std::move(finding));
}

}  // namespace lowtide::explain

// Segments in /dev/shm and shared anonymous memory: batches that came from
// workers and are kept, segments that nobody unlinks.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "base/units.h"
#include "explain/findings/advice.h"
#include "explain/findings/catalogue.h"
#include "explain/findings/shared/creating_line.h"
#include "explain/findings/shared/shared_groups.h"
#include "explain/settle/growth.h"
#include "explain/words.h"

namespace lowtide::explain {
namespace {

void add_groups(const Evidence& evidence, model::Finding& finding) {
  constexpr std::size_t kMostGroups = 3;
  constexpr double kWorthNaming = 0.05;  // of the largest
  if (evidence.shared_groups.empty() && !evidence.shared_objects.empty())
    finding.evidence.emplace_back("most of it: " + base::printable(evidence.shared_objects, 300));
  for (std::size_t at = 0; at < std::min(kMostGroups, evidence.shared_groups.size()); ++at) {
    const model::SharedGroup& group = evidence.shared_groups[at];
    const auto largest = static_cast<double>(evidence.shared_groups.front().bytes);
    if (static_cast<double>(group.bytes) >= kWorthNaming * largest)
      finding.evidence.emplace_back(group_words(group, evidence));
  }
}

// How full a tmpfs with files of the job was at most: at the end of a job they are deleted.
void add_tmpfs(const Evidence& evidence, model::Finding& finding) {
  for (const TmpfsEvidence& tmpfs : evidence.tmpfs) {
    const auto is_less = [](const SeriesPoint& a, const SeriesPoint& b) {
      return a.high_bytes < b.high_bytes;
    };
    const auto most = std::max_element(tmpfs.used.begin(), tmpfs.used.end(), is_less);
    const auto most_of_job = std::max_element(tmpfs.job.begin(), tmpfs.job.end(), is_less);
    if (most == tmpfs.used.end() || most_of_job == tmpfs.job.end() || most_of_job->high_bytes == 0 ||
        tmpfs.last.total_bytes == 0)
      continue;
    const auto of_job = std::find_if(tmpfs.job.begin(), tmpfs.job.end(),
                                     [&](const SeriesPoint& point) { return point.at_s >= most->at_s; });
    if (of_job == tmpfs.job.end()) continue;
    const auto used = static_cast<double>(std::max(most->high_bytes, of_job->high_bytes));
    finding.evidence.emplace_back(
        fmt::format("{} ({}) was at most {:.0f}% full: {}, {} of it by files of this job",
                    base::printable(tmpfs.path, 100), base::format_limit(tmpfs.last.total_bytes),
                    100 * used / static_cast<double>(tmpfs.last.total_bytes), bytes_words(used),
                    bytes_words(static_cast<double>(of_job->high_bytes))));
  }
}

constexpr double kNearlyAllOfIt = 0.9;

double bytes_of(const std::vector<model::SharedGroup>& groups) {
  double out = 0;
  for (const model::SharedGroup& group : groups) out += static_cast<double>(group.bytes);
  return out;
}

// The name of files that are nearly all of it; empty where there are several kinds.
std::string main_files(const std::vector<model::SharedGroup>& groups) {
  const bool is_most = !groups.empty() && groups.front().kind == model::SharedKind::File &&
                       static_cast<double>(groups.front().bytes) >= kNearlyAllOfIt * bytes_of(groups);
  return is_most ? base::printable(groups.front().name, 100) : "";
}

void add_creating_line(const Scene& scene, model::Finding& finding) {
  const std::vector<model::SharedGroup>& groups = scene.evidence.shared_groups;
  const bool is_most =
      !groups.empty() && static_cast<double>(groups.front().bytes) >= kNearlyAllOfIt * bytes_of(groups);
  const auto line = is_most ? find_creating_line(scene, groups.front()) : std::nullopt;
  if (!line) return;
  finding.cause = finding.title;
  finding.lines.push_back(*line);
  finding.where.file = line->file;
  finding.where.line = line->line;
  finding.evidence.emplace_back(
      fmt::format("line {} is the only one of the job's files that creates such memory", line->line));
}

// The names that multiprocessing gives to its blocks prove what made them.
std::string advice_for_files(const std::string& name) {
  if (name.empty()) return advice::kUnmappedFiles;
  if (name.starts_with("/dev/shm/psm_")) return advice::kSharedMemoryBlocks;
  const bool may_be_block = name.starts_with("/dev/shm/") && name.rfind('/') == 8;
  return fmt::format(fmt::runtime(advice::kUnmappedFilesLike), name,
                     may_be_block ? "; for multiprocessing `SharedMemory`, call unlink()" : "");
}

// What helps depends on what nearly all of it is.
std::string advice_for_unmapped(const Evidence& evidence) {
  const double all = bytes_of(evidence.shared_groups);
  std::map<model::SharedKind, double> kinds;
  for (const model::SharedGroup& group : evidence.shared_groups)
    kinds[group.kind] += static_cast<double>(group.bytes);
  if (kinds[model::SharedKind::File] > kNearlyAllOfIt * all)
    return advice_for_files(main_files(evidence.shared_groups));
  if (kinds[model::SharedKind::Segment] > kNearlyAllOfIt * all) return advice::kUnmappedSystemV;
  if (kinds[model::SharedKind::Memfd] > kNearlyAllOfIt * all) return advice::kUnmappedMemfds;
  return advice::kUnmappedSegments;
}

}  // namespace

void find_shared_memory(const Scene& scene, Findings& out) {
  constexpr double kLeast = 8e6;   // bytes
  constexpr double kMapped = 0.3;  // of the growth: with less, another job may have made the segments
  const SharedMemoryGrowth growth = shared_memory_growth(scene.evidence, scene.processes);
  const double tree = tree_change(scene.evidence);
  if (!grows(scene.evidence, scene.report.verdict) || growth.bytes < std::max(kLeast, 0.1 * tree)) return;
  const auto most = std::max_element(
      scene.processes.begin(), scene.processes.end(), [&](const WatchedProcess& a, const WatchedProcess& b) {
        const auto grown = [&](const WatchedProcess& process) {
          return change(process.series, scene.evidence.early, scene.evidence.late, &SeriesPoint::shmem_bytes);
        };
        return grown(a) < grown(b);
      });
  model::Finding finding;
  finding.id = "shared-memory-grows";
  const bool is_unmapped = growth.unmapped_bytes >= growth.bytes;
  const bool is_mapped = !is_unmapped && growth.mapped_bytes >= kMapped * growth.bytes;
  const bool leaks = scene.report.verdict.kind == model::VerdictKind::Leak;
  // The cgroup counts what others in it make, and what the job makes is counted one by one.
  const bool is_of_job = is_mapped || is_unmapped;
  finding.severity = !is_of_job ? model::Severity::Info
                     : leaks    ? model::Severity::High
                                : model::Severity::Medium;
  const MainCreator creator = is_unmapped ? find_main_creator(scene.evidence) : MainCreator();
  finding.title = is_unmapped ? fmt::format("{} {} {} of shared memory that no process maps",
                                            creator.process ? process_words(*creator.process) : "the job",
                                            creator.holds ? "holds" : "made", bytes_words(growth.bytes))
                  : is_mapped ? fmt::format("shared memory grew by {}", bytes_words(growth.bytes))
                              : fmt::format("{} grew by {}, but no process of this job maps it",
                                            growth.witness, bytes_words(growth.bytes));
  finding.mechanism = model::Mechanism::SharedMemory;
  finding.growth_bytes = growth.bytes;
  finding.share =
      std::clamp((is_mapped || is_unmapped ? growth.bytes : growth.mapped_bytes) / tree, 0.0, 1.0);
  finding.confidence = 0.9;
  finding.evidence.emplace_back(fmt::format("{} grew by {}, the process tree by {}", growth.witness,
                                            bytes_words(growth.bytes), bytes_words(tree)));
  if (is_unmapped) {
    finding.files = main_files(scene.evidence.shared_groups);
    add_groups(scene.evidence, finding);
    add_creating_line(scene, finding);
    add_tmpfs(scene.evidence, finding);
    finding.evidence.emplace_back(
        "counted: files in /dev/shm and other tmpfs that the job made, System V segments that its processes "
        "created, and memfds that they have open");
  } else if (most != scene.processes.end()) {
    const double own =
        change(most->series, scene.evidence.early, scene.evidence.late, &SeriesPoint::shmem_bytes);
    if (own > 0) {
      finding.pid = most->report.info.pid;
      finding.process = process_of(most->report.info);
      finding.evidence.emplace_back(
          fmt::format("{} maps {} more shared memory", process_words(most->report.info), bytes_words(own)));
    }
  }
  finding.fix = is_unmapped ? advice_for_unmapped(scene.evidence)
                : is_mapped ? advice::kMappedSegments
                            : advice::kOtherSegments;
  out.push_back(std::move(finding));
}

void name_creator(const Scene& scene, Findings& out) {
  const MainCreator creator = find_main_creator(scene.evidence);
  const SharedMemoryGrowth growth = shared_memory_growth(scene.evidence, scene.processes);
  if (creator.process == nullptr || growth.unmapped_bytes < growth.bytes) return;
  for (model::Finding& finding : out) {
    if (finding.id != "shared-memory-grows" || finding.pid) continue;
    finding.pid = creator.process->pid;
    finding.process = process_of(*creator.process);
  }
}

}  // namespace lowtide::explain

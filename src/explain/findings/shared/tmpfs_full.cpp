// A file system in memory that was full when a process failed. A write to a mapped file of it then ends the
// process by SIGBUS ("DataLoader worker is killed by signal: Bus error"); a write() fails, and most programs
// end with a status that is not 0.

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/text.h"
#include "base/units.h"
#include "explain/findings/advice.h"
#include "explain/findings/catalogue.h"
#include "explain/settle/tmpfs.h"
#include "explain/words.h"

namespace lowtide::explain {
namespace {

std::string failure_words(const Failure& failure) {
  const model::ProcessInfo& info = failure.process->info;
  const int status = info.exit_status.value_or(0);
  const std::string signal = signal_words(status);
  return signal.empty() ? fmt::format("the job ended with status {}", status)
                        : fmt::format("{} was ended by {}", process_words(info), signal);
}

}  // namespace

void find_full_tmpfs(const Scene& scene, Findings& out) {
  const Failure failure = find_failure(scene.evidence);
  if (failure.process == nullptr) return;
  for (const TmpfsEvidence& tmpfs : scene.evidence.tmpfs) {
    const auto fullness = fullness_before(tmpfs, *failure.process->info.ended_s);
    if (!fullness || fullness->share < kFullShare) continue;
    const std::string path = base::printable(tmpfs.path, 100);
    const std::string size = base::format_limit(tmpfs.last.total_bytes);
    model::Finding finding;
    finding.id = "tmpfs-full";
    finding.severity = failure.is_sigbus ? model::Severity::Critical : model::Severity::High;
    finding.title = fmt::format("{} ({}) was full when {}", path, size, failure_words(failure));
    finding.pid = failure.process->info.pid;
    finding.confidence = 0.99;
    finding.evidence.emplace_back(fmt::format(
        "at the last readings before that, {:.0f}% of it was used: {}, {} of it by files of this job",
        100 * std::min(1.0, fullness->share), bytes_words(static_cast<double>(fullness->used_bytes)),
        bytes_words(static_cast<double>(fullness->job_bytes))));
    finding.evidence.emplace_back(failure.is_sigbus
                                      ? "a write to a mapped file of a full tmpfs ends the process by SIGBUS"
                                      : "whether that was the reason is not known: a write to a full tmpfs "
                                        "fails with \"No space left on "
                                        "device\"");
    finding.fix = tmpfs.path == "/dev/shm" ? advice::kFullShm : advice::kFullTmpfs;
    out.push_back(std::move(finding));
  }
}

}  // namespace lowtide::explain

#include "watch/job/find_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <unordered_map>

#include "base/text.h"
#include "base/units.h"
#include "procfs/pid_list.h"
#include "procfs/process_files.h"
#include "procfs/process_info.h"

namespace lowtide::watch {
namespace {

constexpr std::size_t kMostShown = 10;

std::string reason_of(const procfs::MappedLibraries& mapped) {
  std::string names;
  for (const auto& [has, name] : {std::pair(mapped.torch, "torch"), std::pair(mapped.jax, "jax"),
                                  std::pair(mapped.tensorflow, "tensorflow")}) {
    if (!has) continue;
    names += names.empty() ? "" : " and ";
    names += name;
  }
  return fmt::format("{} with {} loaded", mapped.python ? "python" : "a program", names);
}

}  // namespace

std::vector<FoundJob> find_jobs(const procfs::Roots& roots) {
  std::vector<FoundJob> jobs;
  std::unordered_map<pid_t, pid_t> parents;
  procfs::PidList pids(roots);
  pids.refresh();
  for (const std::int32_t pid : pids.pids()) {
    const auto mapped = procfs::read_mapped_libraries(roots, pid);
    if (!mapped || !mapped.value().any_framework()) continue;
    auto files = procfs::ProcessFiles::open(roots, pid);
    if (!files) continue;
    const auto status = files.value().read_status();
    const auto command = procfs::read_command_line(roots, pid);
    if (!status || !status.value().has_memory || !command) continue;
    parents[pid] = static_cast<pid_t>(status.value().ppid);
    jobs.push_back({pid, status.value().rss_bytes, command.value(), reason_of(mapped.value())});
  }
  jobs.erase(std::remove_if(jobs.begin(), jobs.end(),
                            [&](const FoundJob& job) { return parents.count(parents[job.pid]) > 0; }),
             jobs.end());
  std::sort(jobs.begin(), jobs.end(), [](const FoundJob& a, const FoundJob& b) {
    return a.rss_bytes != b.rss_bytes ? a.rss_bytes > b.rss_bytes : a.pid < b.pid;
  });
  return jobs;
}

std::optional<pid_t> choose_job(const procfs::Roots& roots) {
  const std::vector<FoundJob> jobs = find_jobs(roots);
  if (jobs.empty()) return std::nullopt;
  for (std::size_t at = 0; at < std::min(jobs.size(), kMostShown); ++at) {
    const FoundJob& job = jobs[at];
    std::fputs(fmt::format("lowtide: {} {:>8}  {:>9}  {}: {}\n", at == 0 ? "watching" : "also here", job.pid,
                           base::format_bytes(static_cast<double>(job.rss_bytes)), job.why,
                           base::printable(job.command, 60))
                   .c_str(),
               stderr);
  }
  if (jobs.size() > 1) {
    std::fputs("lowtide: the first one uses the most memory; to watch another: lowtide attach PID\n", stderr);
  }
  return jobs.front().pid;
}

}  // namespace lowtide::watch

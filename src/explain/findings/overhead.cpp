// Children that hold much and grow by nothing: overhead, not a leak.

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/units.h"
#include "explain/findings/advice.h"
#include "explain/findings/catalogue.h"
#include "explain/words.h"

namespace lowtide::explain {
namespace {

constexpr std::size_t kFewestInAGroup = 2;
constexpr double kLeastWorkerShare = 0.05;  // of the tree: less is nobody's question
constexpr double kLeastWorkerBytes = 10e6;

struct Group {
  model::ProcessRole role = model::ProcessRole::Other;
  std::string program;
  std::vector<const WatchedProcess*> members;
};

std::vector<Group> groups_of(const Scene& scene) {
  std::vector<Group> groups;
  for (const WatchedProcess& process : scene.processes) {
    const model::ProcessInfo& info = process.report.info;
    if (info.pid == scene.evidence.header.root_pid || info.role == model::ProcessRole::Wrapper ||
        info.role == model::ProcessRole::Trainer || !process.there_late) {
      continue;
    }
    const std::string program = program_of(info.command);
    const auto found = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return group.role == info.role && group.program == program;
    });
    Group& group = found == groups.end() ? groups.emplace_back(Group{info.role, program, {}}) : *found;
    group.members.push_back(&process);
  }
  return groups;
}

void say_overhead(const Scene& scene, const Group& group, Findings& out) {
  double pss = 0;
  double rss = 0;
  double grown = 0;
  double own = 0;
  std::size_t respawned = 0;
  bool all_pss = true;
  for (const WatchedProcess* process : group.members) {
    const model::ProcessBytes& bytes = process->report.bytes;
    all_pss = all_pss && bytes.pss_bytes.has_value();
    // Without PSS what is the process's own is the nearest that counts nothing twice.
    pss += static_cast<double>(bytes.pss_bytes.value_or(process->report.series.last_bytes));
    rss += static_cast<double>(bytes.rss_bytes);
    grown += process->change_bytes;
    own += static_cast<double>(process->report.ends.late_bytes);
    respawned += std::max<std::size_t>(1, process->report.processes) - 1;
  }
  if (pss < std::max(kLeastWorkerBytes,
                     kLeastWorkerShare * level(scene.evidence.target, scene.evidence.late).value_or(0))) {
    return;
  }
  const std::size_t count = group.members.size();
  const std::string who = group.role == model::ProcessRole::Other
                              ? fmt::format("{} processes ({})", count, group.program)
                              : fmt::format("{} {}", count, role_words(group.role, count));
  model::Finding finding;
  finding.id = group.role == model::ProcessRole::Worker ? model::FindingId("worker-overhead")
                                                        : model::FindingId("overhead");
  finding.title = fmt::format("{} hold {} in total ({}): overhead, not a leak", who, bytes_words(pss),
                              all_pss ? "PSS" : "private memory");
  // What made the user ask: the sum in ps and top is larger than what the processes take.
  constexpr double kMuchMore = 1.5;
  if (all_pss && rss > kMuchMore * pss) {
    finding.cause = fmt::format(
        "ps and top show {} for {}, because RSS counts shared pages in every process; with shared pages "
        "counted once it is {}",
        bytes_words(rss), who, bytes_words(pss));
  }
  finding.confidence = 0.95;
  finding.evidence = {fmt::format("their private memory {} during the run", change_words(grown)),
                      fmt::format("the sum of their RSS is {}, the sum of their {} is {}", bytes_words(rss),
                                  all_pss ? "PSS" : "private memory", bytes_words(pss))};
  constexpr double kLittle = 0.3;  // of what they hold: most is shared, and stays with fewer of them
  finding.fix = own > 0 && own < kLittle * pss
                    ? fmt::format(advice::kOwnOfWorkers, bytes_words(own / static_cast<double>(count)))
                    : advice::kFewerWorkers;
  if (respawned > 0) {
    finding.id = "respawned-workers";
    finding.cause.clear();
    finding.title = fmt::format("{} are replaced again and again, and hold {} in total: not a leak", who,
                                bytes_words(pss));
    finding.evidence.emplace_back(
        fmt::format("{} processes ran in these {} places, one after the other", respawned + count, count));
    finding.fix = advice::kRespawnedWorkers;
    finding.hint = "DataLoader(..., persistent_workers=True)";
  }
  finding.ruled_out = true;
  out.push_back(std::move(finding));
}

std::string most_words(const model::ShortLived& short_lived) {
  if (!short_lived.unseen_at_most) return "";
  return fmt::format("; the kernel assigned {} pids in that time, including threads and other jobs",
                     base::format_count(*short_lived.unseen_at_most));
}

}  // namespace

void find_overhead(const Scene& scene, Findings& out) {
  for (const Group& group : groups_of(scene)) {
    const bool all_flat = std::all_of(group.members.begin(), group.members.end(),
                                      [](const WatchedProcess* process) { return is_flat(*process); });
    if (group.members.size() >= kFewestInAGroup && all_flat) say_overhead(scene, group, out);
  }
  const std::uint64_t unseen = scene.short_lived.unseen_at_least.value_or(0);
  if (scene.short_lived.count + unseen == 0) return;
  model::Finding finding;
  finding.id = "short-lived-processes";
  finding.title = fmt::format("{}{} short-lived processes started and ended", unseen > 0 ? "at least " : "",
                              base::format_count(scene.short_lived.count + unseen));
  finding.confidence = 0.99;
  if (scene.short_lived.count > 0) {
    finding.evidence = {fmt::format("they are not listed; the largest had {}",
                                    bytes_words(static_cast<double>(scene.short_lived.largest_bytes)))};
  }
  if (unseen > 0) {
    finding.evidence.emplace_back(
        fmt::format("{} of them ended before they could be read; the number of others is unknown{}",
                    base::format_count(unseen), most_words(scene.short_lived)));
  }
  finding.ruled_out = true;
  out.push_back(std::move(finding));
}

}  // namespace lowtide::explain

#include "explain/evidence/events.h"

#include <fmt/format.h>

#include <algorithm>

#include "explain/words.h"

namespace lowtide::explain {
namespace {

constexpr int kSigkillStatus = 128 + 9;

std::uint64_t oom_kills_counted(const Evidence& evidence) {
  if (evidence.cgroup.size() < 2) return 0;
  const std::uint64_t first = evidence.cgroup.front().reading.oom_kills;
  const std::uint64_t last = evidence.cgroup.back().reading.oom_kills;
  return last > first ? last - first : 0;
}

double time_of_count(const Evidence& evidence) {
  const std::uint64_t first = evidence.cgroup.front().reading.oom_kills;
  for (const CgroupMoment& moment : evidence.cgroup) {
    if (moment.reading.oom_kills > first) return moment.at_s;
  }
  return evidence.last_at_s;
}

// Of those that SIGKILL ended, the one that had most: that is whom the kernel takes.
const ProcessEvidence* likely_victim(const Evidence& evidence) {
  const ProcessEvidence* victim = nullptr;
  for (const ProcessEvidence& process : evidence.processes) {
    if (process.info.exit_status != kSigkillStatus) continue;
    if (victim == nullptr || process.bytes.rss_bytes > victim->bytes.rss_bytes) victim = &process;
  }
  return victim;
}

bool has_kind(const Evidence& evidence, model::EventKind kind) {
  return std::any_of(evidence.events.begin(), evidence.events.end(),
                     [&](const record::RecordedEvent& recorded) { return recorded.event.kind == kind; });
}

}  // namespace

std::optional<OomKill> find_oom_kill(const Evidence& evidence) {
  OomKill kill;
  kill.counted = oom_kills_counted(evidence);
  for (const record::RecordedEvent& recorded : evidence.events) {
    if (recorded.event.kind != model::EventKind::OomKill) continue;
    kill.at_s = recorded.event.at_s.value_or(evidence.last_at_s);
    if (recorded.process) kill.victim = evidence.find_process(*recorded.process);
    if (kill.victim == nullptr) kill.victim = likely_victim(evidence);
    return kill;
  }
  if (kill.counted == 0) return std::nullopt;
  kill.victim = likely_victim(evidence);
  // A cgroup may be shared: if no process of the job was killed, another job was hit.
  if (kill.victim == nullptr) return std::nullopt;
  kill.at_s = kill.victim->info.ended_s.value_or(time_of_count(evidence));
  return kill;
}

std::vector<model::Event> find_events(const Evidence& evidence) {
  std::vector<model::Event> events;
  events.reserve(evidence.events.size() + 2);
  for (const record::RecordedEvent& recorded : evidence.events) events.push_back(recorded.event);

  if (!has_kind(evidence, model::EventKind::OomKill)) {
    if (const auto kill = find_oom_kill(evidence)) {
      events.push_back(
          {model::EventKind::OomKill, kill->at_s, 0,
           fmt::format("{}: the cgroup counted an oom-kill", process_words(kill->victim->info))});
    }
  }
  const ProcessEvidence* root = evidence.root();
  const bool end_is_told =
      has_kind(evidence, model::EventKind::Exit) || has_kind(evidence, model::EventKind::Killed);
  if (root != nullptr && root->info.exit_status && !end_is_told) {
    const std::string signal = signal_words(*root->info.exit_status);
    events.push_back({signal.empty() ? model::EventKind::Exit : model::EventKind::Killed, root->info.ended_s,
                      0,
                      signal.empty() ? fmt::format("the job ended with status {}", *root->info.exit_status)
                                     : fmt::format("the job was ended by {}", signal)});
  }
  std::stable_sort(events.begin(), events.end(), [](const model::Event& a, const model::Event& b) {
    return a.at_s.value_or(0) < b.at_s.value_or(0);
  });
  return events;
}

}  // namespace lowtide::explain

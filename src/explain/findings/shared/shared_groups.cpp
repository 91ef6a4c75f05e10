#include "explain/findings/shared/shared_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "base/text.h"
#include "base/units.h"
#include "explain/words.h"

namespace lowtide::explain {
namespace {

constexpr double kNearlyAll = 0.9;

// Pids are used again: of several processes with this one none is chosen.
const model::ProcessInfo* process_with(const Evidence& evidence, std::int64_t pid) {
  const auto has_pid = [pid](const ProcessEvidence& process) { return process.info.pid == pid; };
  const auto& all = evidence.processes;
  const auto found = std::find_if(all.begin(), all.end(), has_pid);
  const bool is_only = found != all.end() && std::none_of(std::next(found), all.end(), has_pid);
  return is_only ? &found->info : nullptr;
}

std::string object_words(const model::SharedGroup& group) {
  const bool is_one = group.count == 1;
  const std::string_view what = group.kind == model::SharedKind::File      ? "file"
                                : group.kind == model::SharedKind::Segment ? "System V segment"
                                                                           : "memfd";
  return fmt::format("{} {}{}", base::format_count(group.count), what, is_one ? "" : "s");
}

std::string_view link_words(model::SharedLink link) {
  switch (link) {
    case model::SharedLink::Creator:
      return "created by";
    case model::SharedLink::Name:
      return "named after";
    case model::SharedLink::Open:
      return "open in";
    case model::SharedLink::Writer:
      return "written by";
    case model::SharedLink::Unknown:
      break;
  }
  return "";
}

}  // namespace

std::string group_words(const model::SharedGroup& group, const Evidence& evidence) {
  std::string out = object_words(group);
  if (!group.name.empty()) out += " like " + base::printable(group.name, 200);
  out += fmt::format(" ({})", bytes_words(static_cast<double>(group.bytes)));
  if (group.pid == 0 || group.link == model::SharedLink::Unknown)
    return out + ": the process that made them is not known";
  const model::ProcessInfo* const process = process_with(evidence, group.pid);
  const std::string who = process == nullptr ? fmt::format("pid {}", group.pid) : process_words(*process);
  const bool is_all = static_cast<double>(group.pid_bytes) >= kNearlyAll * static_cast<double>(group.bytes);
  const std::string how = fmt::format("{} {}", link_words(group.link), who);
  if (is_all) {
    const std::uint64_t others = group.processes - std::min<std::uint64_t>(group.processes, 1);
    out += others == 0 ? ", " + how
                       : fmt::format(", {} and {} other process{}", how, others, others == 1 ? "" : "es");
  } else {
    out += fmt::format(", {} of it {}", bytes_words(static_cast<double>(group.pid_bytes)), how);
  }
  if (group.link == model::SharedLink::Writer)
    out += ", the only one of the processes that ran then that wrote that much";
  return out;
}

MainCreator find_main_creator(const Evidence& evidence) {
  struct Part {
    double bytes = 0;
    double held = 0;
  };
  std::map<std::int64_t, Part> parts;
  double all = 0;
  for (const model::SharedGroup& group : evidence.shared_groups) {
    all += static_cast<double>(group.bytes);
    // Who wrote is a conclusion from counters: a process that ran for a moment is not in them.
    if (group.pid == 0 || group.link == model::SharedLink::Writer) continue;
    Part& part = parts[group.pid];
    part.bytes += static_cast<double>(group.pid_bytes);
    if (group.link == model::SharedLink::Open) part.held += static_cast<double>(group.pid_bytes);
  }
  const auto most = std::max_element(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
    return a.second.bytes < b.second.bytes;
  });
  if (most == parts.end() || most->second.bytes < kNearlyAll * all) return {};
  return {.process = process_with(evidence, most->first),
          .holds = most->second.held > (1 - kNearlyAll) * most->second.bytes};
}

}  // namespace lowtide::explain

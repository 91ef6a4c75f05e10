#include "screen/process_lines.h"

#include <algorithm>

#include "base/text.h"
#include "show/words.h"

namespace lowtide::screen {
namespace {

constexpr std::size_t kMostCommandBytes = 300;

}  // namespace

std::string short_command(const std::string& command) {
  if (command.empty() || command.front() != '/') return command;
  const std::size_t slash = command.substr(0, command.find(' ')).rfind('/');
  const bool has_name = slash != std::string::npos && slash + 1 < command.size() && command[slash + 1] != ' ';
  return has_name ? command.substr(slash + 1) : command;
}

void ProcessLines::add(const model::Tick& tick) {
  for (const model::ProcessReading& reading : tick.processes) {
    Known& known = known_[reading.id];
    known.bytes = reading.own_bytes;
    known.low.add(tick.at_s, reading.own_bytes);
  }
}

void ProcessLines::note_cpu(Known& known, const std::optional<double>& cpu_s, double at_s) {
  const bool has_both = cpu_s && known.cpu_s && at_s > known.cpu_at_s;
  known.cpu_share = has_both ? std::optional(std::max(0.0, (*cpu_s - *known.cpu_s) / (at_s - known.cpu_at_s)))
                             : std::nullopt;
  known.cpu_s = cpu_s;
  known.cpu_at_s = at_s;
}

std::vector<ProcessLine> ProcessLines::lines(std::span<const ProcessNow> now, double at_s) {
  std::vector<ProcessLine> lines;
  std::map<model::ProcessId, Known> still_there;
  for (const ProcessNow& process : now) {
    const auto found = known_.find(process.info->id);
    if (found == known_.end()) continue;  // it started after the latest tick
    Known& known = found->second;
    note_cpu(known, process.cpu_s, at_s);
    lines.push_back({.pid = process.info->pid,
                     .role = show::role_name(*process.info),
                     .bytes = known.bytes,
                     .growth_bytes = known.low.growth_bytes(),
                     .bytes_per_s = known.low.bytes_per_s(),
                     .cpu_share = known.cpu_share,
                     .command = base::printable(process.info->command, kMostCommandBytes)});
    still_there.insert(known_.extract(found));
  }
  known_ = std::move(still_there);
  return lines;
}

}  // namespace lowtide::screen

#include "watch/job/survivors.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/text.h"
#include "console/user_error.h"
#include "watch/job/start_self.h"

namespace lowtide::watch {
namespace {

// A smaller process is a helper, not a job.
constexpr std::uint64_t kWorthWatchingBytes = std::uint64_t{4} * 1024 * 1024;

const observe::Member* find_largest(const Watch& watch) {
  const auto& members = watch.monitor().tree().members();
  const auto largest = std::max_element(
      members.begin(), members.end(), [](const observe::Member& a, const observe::Member& b) {
        return a.status.anon_bytes + a.status.shmem_bytes < b.status.anon_bytes + b.status.shmem_bytes;
      });
  return largest == members.end() ? nullptr : &*largest;
}

// The settings of `run` that also apply to a process that outlives its job.
Settings for_background(const Settings& run, const std::string& output) {
  Settings settings;
  settings.output = output;
  settings.interval_s = run.interval_s;
  settings.limit_bytes = run.limit_bytes;
  settings.quiet = true;
  settings.use_gpu = run.use_gpu;
  settings.use_pss = run.use_pss;
  settings.read_steps = run.read_steps;
  return settings;
}

std::string second_path(const std::string& path) {
  const std::string suffix = ".lowtide";
  const bool ends_so =
      path.size() > suffix.size() && path.compare(path.size() - suffix.size(), suffix.size(), suffix) == 0;
  return (ends_so ? path.substr(0, path.size() - suffix.size()) : path) + "-background" + suffix;
}

}  // namespace

void follow_survivors(const Watch& watch, const RecordingFile& file, const Settings& flags) {
  const observe::Member* largest = find_largest(watch);
  if (largest == nullptr || file.path.empty()) return;
  const std::size_t count = watch.monitor().tree().members().size();
  const std::string which = fmt::format("{} process{} of the job still run{}; the largest is {} ({})", count,
                                        count == 1 ? "" : "es", count == 1 ? "s" : "", largest->info.pid,
                                        base::printable(largest->info.command, 60));
  const bool worth = largest->status.anon_bytes + largest->status.shmem_bytes >= kWorthWatchingBytes;
  if (!worth || !flags.keep_recording) {
    console::print_warning(which);
    return;
  }
  const std::string path = second_path(file.path);
  const auto pid = static_cast<pid_t>(largest->info.pid);
  console::print_warning(
      start_attach(pid, for_background(flags, path), SelfTie::Free).ok()
          ? fmt::format("{}; lowtide watches it in the background, recording: {}", which, path)
          : fmt::format("{}; to watch it: lowtide attach {}", which, pid));
}

}  // namespace lowtide::watch

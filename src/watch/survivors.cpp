#include "watch/survivors.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "console/user_error.h"
#include "watch/start_self.h"

namespace lowtide::watch {
namespace {

// Below this it is a helper that hangs around, not a job.
constexpr std::uint64_t kWorthWatchingBytes = std::uint64_t{4} * 1024 * 1024;

const observe::Member* find_largest(const Watch& watch) {
  const auto& members = watch.monitor().tree().members();
  const auto largest = std::max_element(
      members.begin(), members.end(), [](const observe::Member& a, const observe::Member& b) {
        return a.status.anon_bytes + a.status.shmem_bytes < b.status.anon_bytes + b.status.shmem_bytes;
      });
  return largest == members.end() ? nullptr : &*largest;
}

bool start_attach(const std::string& pid, const std::string& output, const Settings& flags) {
  std::vector<std::string> words{"attach", "--quiet", "--output", output};
  if (flags.interval_s) {
    words.insert(words.end(), {"--interval", fmt::format("{:.0f}ms", *flags.interval_s * 1e3)});
  }
  if (flags.limit_bytes) words.insert(words.end(), {"--limit", fmt::format("{}B", *flags.limit_bytes)});
  if (!flags.use_gpu) words.emplace_back("--no-gpu");
  if (!flags.use_pss) words.emplace_back("--no-pss");
  if (!flags.read_steps) words.emplace_back("--no-steps");
  words.push_back(pid);
  return start_self(std::move(words), SelfTie::Free).ok();
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
  const std::string which =
      fmt::format("{} process{} of the job go{} on, the largest is {} ({})", count, count == 1 ? "" : "es",
                  count == 1 ? "es" : "", largest->info.pid, base::printable(largest->info.command, 60));
  const bool worth = largest->status.anon_bytes + largest->status.shmem_bytes >= kWorthWatchingBytes;
  if (!worth || !flags.keep_recording) {
    console::print_warning(which);
    return;
  }
  const std::string path = second_path(file.path);
  const std::string pid = std::to_string(largest->info.pid);
  console::print_warning(start_attach(pid, path, flags)
                             ? fmt::format("{}; it is watched in the background, into {}", which, path)
                             : fmt::format("{}; lowtide attach {} watches it", which, pid));
}

}  // namespace lowtide::watch

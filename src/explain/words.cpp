#include "explain/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "base/units.h"

namespace lowtide::explain {
namespace {

constexpr std::array<std::pair<int, const char*>, 12> kSignals{{{1, "SIGHUP"},
                                                                {2, "SIGINT"},
                                                                {3, "SIGQUIT"},
                                                                {4, "SIGILL"},
                                                                {6, "SIGABRT"},
                                                                {7, "SIGBUS"},
                                                                {8, "SIGFPE"},
                                                                {9, "SIGKILL"},
                                                                {10, "SIGUSR1"},
                                                                {11, "SIGSEGV"},
                                                                {13, "SIGPIPE"},
                                                                {15, "SIGTERM"}}};

}  // namespace

std::string short_command(std::string_view command, std::size_t longest) {
  const std::size_t end = std::min(command.find(' '), command.size());
  const std::size_t slash = command.substr(0, end).rfind('/');
  if (slash != std::string_view::npos && slash + 1 < end) command.remove_prefix(slash + 1);
  const std::string words = base::printable(command, longest);
  return words.empty() ? "?" : words;
}

std::string program_of(std::string_view command) {
  return short_command(command.substr(0, std::min(command.find(' '), command.size())));
}

std::string process_words(const model::ProcessInfo& info) {
  const std::string index = info.index ? fmt::format(" {}", *info.index) : "";
  const std::string who =
      info.role == model::ProcessRole::Other ? short_command(info.command) : role_words(info.role, 1) + index;
  return fmt::format("{} (pid {})", who, info.pid);
}

model::FindingProcess process_of(const model::ProcessInfo& info) {
  return {.role = info.role, .index = info.index, .pids = {info.pid}};
}

std::string role_words(model::ProcessRole role, std::uint64_t count) {
  const std::string plural = count == 1 ? "" : "s";
  switch (role) {
    case model::ProcessRole::Wrapper:
      return "wrapper" + plural;
    case model::ProcessRole::Trainer:
      return "trainer" + plural;
    case model::ProcessRole::Rank:
      return "rank" + plural;
    case model::ProcessRole::Worker:
      return "worker" + plural;
    case model::ProcessRole::CompileWorker:
      return "compile worker" + plural;
    case model::ProcessRole::Server:
      return "server" + plural;
    case model::ProcessRole::Other:
      break;
  }
  return count == 1 ? "process" : "processes";
}

std::string bytes_words(double bytes) {
  return base::format_bytes(bytes);
}

std::string change_words(double bytes) {
  const std::string size = base::format_bytes(std::abs(bytes));
  if (size == base::format_bytes(0)) return "did not change";
  return (bytes < 0 ? "shrank by " : "grew by ") + size;
}

std::string signal_words(int exit_status) {
  if (exit_status <= 128 || exit_status > 128 + 64) return "";
  const int number = exit_status - 128;
  const auto* found = std::find_if(kSignals.begin(), kSignals.end(),
                                   [&](const auto& entry) { return entry.first == number; });
  if (found == kSignals.end()) return fmt::format("signal {}", number);
  return fmt::format("signal {} ({})", number, found->second);
}

}  // namespace lowtide::explain

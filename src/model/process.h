#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lowtide::model {

// What a process of the target is there for.
enum class ProcessRole { Wrapper, Trainer, Rank, Worker, CompileWorker, Server, Other };

// A process within one recording. Unlike a pid it is never used twice.
enum class ProcessId : std::uint32_t {};

struct ProcessInfo {
  ProcessId id{};
  std::int64_t pid = 0;
  std::int64_t ppid = 0;
  std::uint64_t start_ticks = 0;  // with the pid, identifies a process: pids are used again
  ProcessRole role = ProcessRole::Other;
  std::optional<int> index = {};            // rank 3, worker 0
  std::optional<ProcessId> continues = {};  // a respawned worker goes on with this one's series
  std::string command = {};
  double started_s = 0;  // from the start of the recording; negative: it ran before
  std::optional<double> ended_s = {};
  std::optional<int> exit_status = {};  // as a shell reports it: 0..255, 128 + n for signal n
};

constexpr std::string_view to_string(ProcessRole role) {
  switch (role) {
    case ProcessRole::Wrapper:
      return "wrapper";
    case ProcessRole::Trainer:
      return "trainer";
    case ProcessRole::Rank:
      return "rank";
    case ProcessRole::Worker:
      return "worker";
    case ProcessRole::CompileWorker:
      return "compile-worker";
    case ProcessRole::Server:
      return "server";
    case ProcessRole::Other:
      return "other";
  }
  return {};
}

}  // namespace lowtide::model

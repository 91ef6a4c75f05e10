// Loads the agent into a process, reads its samples for some time, and detaches it again, as many times as
// --rounds states. Prints one JSON object.
//
//   attach_probe AGENT.so PID [--rounds N] [--read-ms N] [--keep] [--place-ms N]
//
// {"error": "", "rounds": N, "failed": {message: count}, "stop_us": [...], "work_us": [...],
//  "hellos": N, "samples": N, "python_samples": N, "live": N}
// --keep leaves the hooks in.

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "attach/inject.h"
#include "base/text.h"
#include "observe/agents/agent_ring.h"
#include "observe/agents/agent_socket.h"

namespace {

using Clock = std::chrono::steady_clock;
using lowtide::observe::AgentAllocation;
using lowtide::observe::AgentRing;
using lowtide::observe::AgentSocket;
using nlohmann::json;

struct Options {
  std::string agent;
  pid_t pid = 0;
  int rounds = 1;
  int read_ms = 200;
  int place_ms = 5000;
  bool keep = false;
};

struct Sink : lowtide::observe::AgentSink {
  std::uint64_t samples = 0;
  std::uint64_t python_samples = 0;
  std::uint64_t with_frames = 0;

  void on_code(const lowtide::observe::AgentCode& /*code*/) override {}
  void on_allocation(const AgentAllocation& allocation) override {
    ++samples;
    python_samples += allocation.source >= lowtide::wire::Source::PythonMem ? 1U : 0U;
    with_frames += allocation.frames.empty() ? 0U : 1U;
  }
  void on_free(std::uint64_t /*sample*/) override {}
};

struct Tally {
  std::vector<double> stop_us;
  std::vector<double> pause_us;
  std::vector<double> work_us;
  std::vector<std::uint32_t> tries;
  std::map<std::string, int> failed;
  std::map<int, int> reasons;
  std::uint64_t hellos = 0;
  std::uint64_t broken = 0;
  std::uint64_t in_own_thread = 0;
  std::size_t live = 0;
  Sink sink;

  void count(const lowtide::base::Result<lowtide::attach::Injected>& done) {
    if (!done) {
      ++failed[lowtide::base::printable(done.error().message)];
      return;
    }
    stop_us.push_back(static_cast<double>(done.value().longest_stop.count()) / 1000);
    pause_us.push_back(static_cast<double>(done.value().pause.count()) / 1000);
    work_us.push_back(static_cast<double>(done.value().work.count()) / 1000);
    tries.push_back(done.value().tries);
    in_own_thread += done.value().in_own_thread ? 1U : 0U;
  }

  [[nodiscard]] json tell(const std::string& advice) const {
    return {{"failed", failed},
            {"advice", advice},
            {"reasons", reasons},
            {"stop_us", stop_us},
            {"pause_us", pause_us},
            {"work_us", work_us},
            {"tries", tries},
            {"hellos", hellos},
            {"broken", broken},
            {"in_own_thread", in_own_thread},
            {"samples", sink.samples},
            {"python_samples", sink.python_samples},
            {"with_frames", sink.with_frames},
            {"live", live}};
  }
};

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  std::vector<std::string_view> words;
  for (int at = 1; at < argc; ++at) {
    const std::string_view word = argv[at];
    if (word == "--keep") {
      options.keep = true;
    } else if (word.starts_with("--") && at + 1 < argc) {
      const int number = std::atoi(argv[++at]);
      (word == "--rounds"    ? options.rounds
       : word == "--read-ms" ? options.read_ms
                             : options.place_ms) = number;
    } else {
      words.push_back(word);
    }
  }
  if (words.size() != 2) {
    return std::nullopt;
  }
  options.agent = words[0];
  options.pid = std::atoi(std::string(words[1]).c_str());
  return options;
}

void read_for_a_while(AgentSocket& socket, int read_ms, Tally& tally) {
  std::vector<AgentRing> rings;
  const auto until = Clock::now() + std::chrono::milliseconds(read_ms);
  do {
    while (auto hello = socket.receive()) {
      ++tally.hellos;
      ++tally.reasons[static_cast<int>(hello->reason)];
      if (auto ring = AgentRing::open(hello->file); hello->file.valid() && ring) {
        rings.push_back(std::move(ring).value());
      }
    }
    for (AgentRing& ring : rings) {
      tally.broken += ring.poll(tally.sink) ? 0U : 1U;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  } while (Clock::now() < until);
  for (AgentRing& ring : rings) {
    tally.live += ring.live_samples();
    ring.ask_off();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = parse(argc, argv);
  std::string folder = "/tmp/attach_probe.XXXXXX";
  if (!options || ::mkdtemp(folder.data()) == nullptr) {
    std::fputs("usage: attach_probe AGENT.so PID [--rounds N] [--read-ms N] [--place-ms N] [--keep]\n",
               stderr);
    return 2;
  }
  Tally tally;
  std::string advice;
  {
    auto socket = AgentSocket::bind(folder + "/socket");
    if (!socket) {
      return 3;
    }
    const lowtide::attach::InjectOptions inject = {
        .agent_path = options->agent,
        .socket_path = folder + "/socket",
        .place_limit = std::chrono::milliseconds(options->place_ms),
        .answer_limit = std::chrono::milliseconds(options->place_ms)};
    for (int round = 0; round < options->rounds; ++round) {
      const auto injected = lowtide::attach::inject_agent(options->pid, inject);
      tally.count(injected);
      if (!injected) {
        const auto told = lowtide::attach::advise(options->pid, injected.error());
        advice = told.why + " | " + told.hint;
        continue;
      }
      read_for_a_while(socket.value(), options->read_ms, tally);
      if (!options->keep) {
        tally.count(lowtide::attach::retire_agent(options->pid, inject));
      }
    }
  }
  std::filesystem::remove_all(folder);
  std::printf("%s\n", tally.tell(advice).dump().c_str());
  return tally.failed.empty() ? 0 : 1;
}

// Runs a command with the agent in it and prints, as JSON, what the agents said.
//
//   agent_probe AGENT.so [--slow-reader] COMMAND [ARGUMENTS]
//
// {"status": exit status, "processes": [{"pid", "state", "reason", "python", ..., "live_bytes", "sites":
// [...]}]} A site is the innermost Python frame ("file:line function"), or "native".

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "observe/agents/agent_ring.h"
#include "observe/agents/agent_socket.h"

namespace {

using lowtide::observe::AgentAllocation;
using lowtide::observe::AgentCode;
using lowtide::observe::AgentHello;
using lowtide::observe::AgentRing;
using lowtide::observe::AgentSocket;
using nlohmann::json;

struct Site {
  std::uint64_t allocations = 0;
  std::uint64_t allocated_bytes = 0;
  std::int64_t live_bytes = 0;
  std::int64_t live = 0;
};

struct Process : lowtide::observe::AgentSink {
  AgentHello hello;
  std::unique_ptr<AgentRing> ring;
  std::string broken;
  std::unordered_map<std::uint32_t, std::string> names;
  std::map<std::string, Site> sites;
  std::map<int, std::uint64_t> by_source;
  std::map<int, std::int64_t> live_by_source;
  struct Live {
    Site* site = nullptr;
    std::uint64_t bytes = 0;
    int source = 0;
  };
  std::unordered_map<std::uint64_t, Live> live;
  std::uint64_t without_stack = 0;
  std::uint64_t stack_bytes = 0;
  std::size_t deepest = 0;

  void on_code(const AgentCode& code) override {
    names[code.code] = std::string(code.file) + '\n' + std::string(code.function);
  }

  std::string site_of(const AgentAllocation& allocation) {
    if (allocation.frames.empty()) {
      return "native";
    }
    const auto& frame = allocation.frames.front();
    const std::string name = names.count(frame.code) != 0 ? names[frame.code] : "?\n?";
    const auto cut = name.find('\n');
    return name.substr(0, cut) + ':' + std::to_string(frame.line & ~lowtide::wire::kEntryFrame) + ' ' +
           name.substr(cut + 1);
  }

  void on_allocation(const AgentAllocation& allocation) override {
    Site& site = sites[site_of(allocation)];
    ++site.allocations;
    ++by_source[static_cast<int>(allocation.source)];
    site.allocated_bytes += allocation.weight_bytes;
    deepest = std::max(deepest, allocation.frames.size());
    without_stack += allocation.stack.empty() ? 1U : 0U;
    stack_bytes += allocation.stack.size();
    if (allocation.is_live) {
      site.live_bytes += static_cast<std::int64_t>(allocation.weight_bytes);
      ++site.live;
      live_by_source[static_cast<int>(allocation.source)] +=
          static_cast<std::int64_t>(allocation.weight_bytes);
      live[allocation.sample] = {&site, allocation.weight_bytes, static_cast<int>(allocation.source)};
    }
  }

  void on_free(std::uint64_t sample) override {
    const auto found = live.find(sample);
    if (found == live.end()) {
      broken = "a free of what never lived";
      return;
    }
    const auto bytes = static_cast<std::int64_t>(found->second.bytes);
    found->second.site->live_bytes -= bytes;
    --found->second.site->live;
    live_by_source[found->second.source] -= bytes;
    live.erase(found);
  }

  void poll() {
    if (ring != nullptr && broken.empty()) {
      if (const auto read = ring->poll(*this); !read) {
        broken = read.error().message;
      }
    }
  }

  [[nodiscard]] json tell() const {
    json told = {{"pid", hello.pid},
                 {"state", static_cast<int>(hello.state)},
                 {"reason", static_cast<int>(hello.reason)},
                 {"broken", broken},
                 {"without_stack", without_stack},
                 {"deepest", deepest},
                 {"stack_bytes", stack_bytes}};
    if (ring == nullptr) {
      return told;
    }
    const auto status = ring->status();
    told["state"] = static_cast<int>(status.state);
    told["reason"] = static_cast<int>(status.reason);
    told["python"] = status.python_version;
    told["python_state"] = static_cast<int>(status.python_state);
    told["mean_bytes"] = status.mean_bytes;
    told["samples"] = status.samples;
    told["sampled_bytes"] = status.sampled_bytes;
    told["frees"] = status.frees;
    told["sampling_ns"] = status.sampling_ns;
    told["module_changes"] = status.module_changes;
    told["drops"] = status.drops;
    told["by_source"] = by_source;
    told["live_by_source"] = live_by_source;
    const auto driver = ring->driver();
    told["driver"] = {{"state", static_cast<int>(driver.state)},
                      {"allocations", driver.allocations},
                      {"failures", driver.failures},
                      {"modules", driver.modules},
                      {"unsized", driver.unsized},
                      {"imported", driver.imported},
                      {"unfollowed", driver.unfollowed}};
    const auto trial = ring->trial();
    told["trial"] = {{"state", static_cast<int>(trial.state)},
                     {"rss_before_bytes", trial.rss_before_bytes},
                     {"rss_after_bytes", trial.rss_after_bytes},
                     {"trim_ns", trial.trim_ns},
                     {"inspect_ns", trial.inspect_ns},
                     {"arena_bytes", trial.arena_bytes},
                     {"free_bytes", trial.free_bytes}};
    lowtide::observe::AgentMarks marks;
    ring->read_marks(marks);
    told["marks"] = {
        {"state", static_cast<int>(marks.state)}, {"steps", marks.steps}, {"phases", json::object()}};
    for (const auto& phase : marks.phases) {
      told["marks"]["phases"][lowtide::base::printable(phase.name)] = phase.count;
    }
    std::int64_t live_bytes = 0;
    json list = json::array();
    for (const auto& [name, site] : sites) {
      live_bytes += site.live_bytes;
      list.push_back({{"site", lowtide::base::printable(name)},
                      {"allocations", site.allocations},
                      {"allocated_bytes", site.allocated_bytes},
                      {"live", site.live},
                      {"live_bytes", site.live_bytes}});
    }
    told["live_bytes"] = live_bytes;
    told["live"] = live.size();
    told["sites"] = std::move(list);
    return told;
  }
};

struct Probe {
  AgentSocket socket;
  std::vector<std::unique_ptr<Process>> processes{};

  void look() {
    while (auto hello = socket.receive()) {
      auto process = std::make_unique<Process>();
      if (hello->file.valid()) {
        if (auto ring = AgentRing::open(hello->file)) {
          process->ring = std::make_unique<AgentRing>(std::move(ring).value());
          if (std::getenv("PROBE_TRIM") != nullptr) {
            process->ring->ask_trim();
          }
          if (const char* most = std::getenv("PROBE_MOST_SAMPLES")) {
            process->ring->limit_samples(static_cast<std::uint32_t>(std::atoi(most)));
          }
        } else {
          process->broken = ring.error().message;
        }
      }
      process->hello = std::move(*hello);
      processes.push_back(std::move(process));
    }
    for (const auto& process : processes) {
      process->poll();
      if (process->ring != nullptr && std::getenv("PROBE_MARKS") != nullptr) {
        process->ring->ask_marks();
      }
    }
  }
};

pid_t start(const char* agent, const std::string& path, char** command) {
  const pid_t child = ::fork();
  if (child == 0) {
    const char* others = std::getenv("PROBE_PRELOAD");
    const std::string preload = others != nullptr ? std::string(agent) + ':' + others : agent;
    if (std::getenv("PROBE_LATE") != nullptr) {  // the command loads it when it likes
      ::setenv("LATE_AGENT", agent, 1);
      ::setenv("LATE_SOCKET", path.c_str(), 1);
    } else {
      ::setenv("LD_PRELOAD", preload.c_str(), 1);
      ::setenv(lowtide::wire::kSocketVariable, path.c_str(), 1);
    }
    ::execvp(command[0], command);
    std::perror(command[0]);
    ::_exit(127);
  }
  return child;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: agent_probe AGENT.so COMMAND [ARGUMENTS]\n", stderr);
    return 2;
  }
  std::string folder = "/tmp/agent_probe.XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) {
    return 3;
  }
  const std::string path = folder + "/socket";
  auto socket = AgentSocket::bind(path);
  if (!socket) {
    std::fprintf(stderr, "%s\n", socket.error().message.c_str());
    return 3;
  }
  Probe probe{std::move(socket).value()};
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // so that grandchildren are waited for as well
  const pid_t child = start(argv[1], path, argv + 2);
  // What is tested is the agent: its reader should not lose samples because others want the processor too.
  ::setpriority(PRIO_PROCESS, 0, -20);  // where that is allowed
  const char* pause = std::getenv("PROBE_PAUSE_US");
  const auto pause_us = static_cast<useconds_t>(pause != nullptr ? std::atoi(pause) : 20000);
  int status = 0;
  for (;;) {
    int ended = 0;
    const pid_t who = ::waitpid(-1, &ended, WNOHANG);
    if (who == child) {
      status = ended;
    }
    if (who < 0) {
      break;
    }
    if (who == 0) {
      probe.look();
      ::usleep(pause_us);
    }
  }
  probe.look();
  json told = {{"status", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)},
               {"processes", json::array()}};
  for (const auto& process : probe.processes) {
    told["processes"].push_back(process->tell());
  }
  std::filesystem::remove_all(folder);
  const char* out = std::getenv("PROBE_OUT");
  FILE* into = out != nullptr ? std::fopen(out, "w") : stdout;
  std::fprintf(into, "%s\n", told.dump(1).c_str());
  if (into != stdout) {
    std::fclose(into);
  }
  return told["status"].get<int>();
}

// The processes of a job under `run` that are without the agent.
//
// The agent comes by LD_PRELOAD. A process whose environment was emptied (env -i, sudo), a static program,
// and one that does not see the library run without it. Without a word about that, a report shows their
// memory without lines and variables, as if there was nothing to show. Only those that are large and stay
// count: helpers come and go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "observe/agents/agent_registry.h"
#include "observe/tree/process_tree.h"

namespace lowtide::watch {

class MissingAgents {
 public:
  void tick(const observe::ProcessTree& tree, observe::AgentRegistry& agents, double at_s);

  // "pid 4711 (python worker.py): why", in the order in which they were found.
  [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }
  // Those that are not in the list, which is bounded.
  [[nodiscard]] std::size_t not_listed() const { return not_listed_; }

 private:
  // One that has the agent.
  struct Entered {
    std::uint64_t start_ticks = 0;
    std::uint64_t image = 0;
    double seen_s = 0;  // steady seconds, at which it was this image
  };

  void drop_replaced(const observe::ProcessTree& tree, observe::AgentRegistry& agents);
  void note(const observe::Member& member, const std::string& socket_path);

  std::map<std::int64_t, Entered> entered_;      // by pid
  std::map<std::int64_t, std::uint64_t> known_;  // pid -> start, of those without it that were looked at
  std::vector<std::string> texts_;
  std::size_t not_listed_ = 0;
  double next_look_s_ = 0;
};

// Why the agent is not in a process, by its mappings and the environment that it was started with; empty: it
// is in it.
std::string_view reason_without_agent(std::string_view maps, std::string_view environment,
                                      std::string_view socket_path);

}  // namespace lowtide::watch

// `attach --deep`: puts the agent into every process of the job, also into those that start later, and takes
// its hooks out at the end.
//
// The watch loop calls tick(), which only looks and queues. Entering takes milliseconds, and seconds in a
// process that is never at a safe place, so a thread of its own does it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "console/user_error.h"
#include "observe/agents/agent_registry.h"
#include "observe/tree/process_tree.h"
#include "watch/entry/entry_ledger.h"
#include "watch/entry/entry_places.h"

namespace lowtide::watch {

class TreeEntry {
 public:
  // `agents` must outlive it.
  TreeEntry(std::string agent_path, observe::AgentRegistry& agents);
  TreeEntry(const TreeEntry&) = delete;
  TreeEntry(TreeEntry&&) = delete;
  TreeEntry& operator=(const TreeEntry&) = delete;
  TreeEntry& operator=(TreeEntry&&) = delete;
  ~TreeEntry();

  // Loads the agent into one process and waits for it. Returns the error for the user.
  std::optional<console::UserError> enter_now(pid_t pid);

  // Queues the processes to enter, and reads the results for others.
  void tick(const observe::ProcessTree& tree, double at_s);

  // Removes the hooks from all processes that still run. Returns warnings; an agent without a monitor sends
  // nothing.
  [[nodiscard]] std::vector<std::string> end();

  // See EntryLedger.
  [[nodiscard]] std::vector<std::string> not_entered() const { return ledger_.not_entered(); }
  [[nodiscard]] std::size_t not_listed() const { return ledger_.not_listed(); }

 private:
  struct Task {
    Program program;
    bool has_said_hello = false;
  };
  struct Outcome {
    Program program;
    std::optional<base::Error> error;
  };

  void work();
  void stop();
  void take_outcomes(double at_s);
  base::Result<bool> enter(const Task& task);
  std::vector<SeenProcess> read_processes(const observe::ProcessTree& tree, double at_s);
  std::optional<std::string> retire(std::int64_t pid, std::chrono::milliseconds limit);

  observe::AgentRegistry& agents_;
  EntryLedger ledger_;
  std::map<std::int64_t, Program> programs_;  // as last read, by pid
  std::int64_t next_image_ = 0;               // the pid from which on images are read next
  double next_look_s_ = 0;

  EntryPlaces places_;  // used by the thread while it runs

  std::mutex lock_;
  std::condition_variable has_task_;
  std::deque<Task> tasks_;
  std::vector<Outcome> outcomes_;
  std::vector<observe::AgentSocket> sockets_;
  bool ends_ = false;
  std::thread thread_;  // the last: it uses the others
};

}  // namespace lowtide::watch

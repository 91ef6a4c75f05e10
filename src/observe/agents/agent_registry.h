// The monitor's end of all agents: takes what they send, and has the live memory at each tick.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/snapshot.h"
#include "model/tick.h"
#include "model/trim_trial.h"
#include "observe/agents/agent_ring.h"
#include "observe/agents/agent_socket.h"
#include "observe/agents/site_table.h"
#include "observe/agents/walker_watch.h"
#include "observe/tree/process_tree.h"

namespace lowtide::observe {

// How the agents fared, over the whole run.
struct AgentSummary {
  std::uint64_t processes = 0;                   // in which one was on
  std::map<wire::OffReason, std::uint64_t> off;  // in how many it was not, or went off, and why
  std::uint64_t samples = 0;
  std::uint64_t dropped = 0;
  std::uint64_t sampling_ns = 0;
  std::string note;
};

class AgentRegistry {
 public:
  // Makes a folder of its own for the socket, that nobody else may enter.
  static base::Result<AgentRegistry> open();

  AgentRegistry(AgentRegistry&& other) noexcept;
  AgentRegistry& operator=(AgentRegistry&& other) = delete;
  AgentRegistry(const AgentRegistry&) = delete;
  AgentRegistry& operator=(const AgentRegistry&) = delete;
  // Asks the agents that are left to stop, and removes the folder.
  ~AgentRegistry();

  [[nodiscard]] const std::string& socket_path() const { return path_; }

  // Agents that do not reach our folder say hello at another socket.
  void listen_at(AgentSocket socket) { sockets_.push_back(std::move(socket)); }

  // The processes whose agent has said hello and that were there at the last reading.
  [[nodiscard]] std::vector<std::int32_t> pids() const;
  // It has run another program by exec: its agent, and what that had counted, is gone.
  void note_exec(std::int64_t pid);

  // When the agent of the process said hello, in steady seconds; 0: it has none.
  [[nodiscard]] double began_s(std::int64_t pid) const;

  // Reads what has come. To be called again after wait_s(), or rings run over.
  void poll();
  [[nodiscard]] double wait_s() const { return wait_s_; }

  // Fills in heaps and sites. Those that appear for the first time are in begun().
  void fill(model::Tick& tick, const ProcessTree& tree);
  [[nodiscard]] const std::vector<model::SiteInfo>& begun() const { return begun_; }

  // Has every agent ask its allocator to give back what it keeps, once: the job waits for
  // that. They do it when their process next allocates.
  void ask_trims();
  // Some agent may still come to it.
  [[nodiscard]] bool awaits_trims() const;
  // One is at it.
  [[nodiscard]] bool is_trimming() const;
  [[nodiscard]] std::vector<model::TrimTrial> trials(double at_s, const ProcessTree& tree) const;

  // The verdict is a leak, or leans to one: samples are worth more (sampling_rate.h).
  void note_growth(bool grows) { grows_ = grows; }

  // Between two readings of all sites; a second unless told.
  void read_sites_every(double interval_s) { sites_interval_s_ = interval_s; }

  // Has the Python of a process walked over, in a child of it. It does so when its main thread next runs
  // Python and some thread allocates.
  void ask_walk(std::int64_t pid);
  // True from the request to the end of the walk.
  [[nodiscard]] bool is_walking() const { return !walks_.empty(); }
  // Before the agents go, who reap the children that walk: waits for these, and ends them when the time is
  // over.
  void end_walks(double patience_s);
  // A child walks, or may at any moment: the pages of its job have one more owner. One that was asked and did
  // not come in time, since it runs no Python, is not waited for.
  [[nodiscard]] bool shares_pages() const;
  [[nodiscard]] bool is_walking(std::int64_t pid) const;
  // A child walks over what a process had that is gone.
  [[nodiscard]] bool awaits_last_walk() const;
  // Processes whose agent has found a Python that can be walked over.
  [[nodiscard]] std::vector<std::int64_t> pythons() const;
  // Seconds since the process last loaded or unloaded a library.
  [[nodiscard]] double since_loading_s(std::int64_t pid) const;
  // Seconds since its main thread was last seen in an import; it was nowhere else since then.
  [[nodiscard]] double since_import_s(std::int64_t pid) const;
  // The interpreter of a process reports steps and phases from now on, and torch's counters once.
  void ask_marks(std::int64_t pid);
  void allow_unsolicited(std::int64_t pid, std::uint32_t which);  // of wire::UnsolicitedSnapshot
  void read_marks(std::int64_t pid, AgentMarks& into) const;
  [[nodiscard]] SiteTable::PhaseBytes kept_in_phases(std::int64_t pid) const;
  // The walks that have ended since the last call; their at_s is relative to now.
  [[nodiscard]] std::vector<model::Snapshot> take_snapshots() { return std::exchange(snapshots_, {}); }

  // CPU time spent with all of it.
  [[nodiscard]] double spent_s() const { return spent_s_; }

  // A limit of what the sites can tell.
  void note(std::string text) { ended_.note = std::move(text); }
  // Functions of the CUDA driver that allocate, were looked up and are not known.
  [[nodiscard]] const std::set<std::string>& unfollowed() const { return unfollowed_; }
  [[nodiscard]] AgentSummary summary() const;

 private:
  struct Agent {
    Agent(AgentRing&& its_ring, std::int32_t pid, SiteTools& tools)
        : ring(std::move(its_ring)), book(pid, tools) {}

    AgentRing ring;
    SiteTable book;
    AgentStatus status;
    double told_at_s = -1e18;
    double began_s = 0;     // when it came
    double loaded_s = 0;    // when it last loaded or unloaded a library
    double imported_s = 0;  // when its main thread was seen in an import; 0: it is elsewhere
    std::uint64_t sample_in_import = 0;
    double limited_s = 0;  // when its rate was last set
    double searched_s = 0;
    std::uint64_t first_samples = 0;  // alive at the end of the full rate
  };

  AgentRegistry(std::string folder, AgentSocket socket);

  // A walk, from its request on.
  struct Walk {
    std::int32_t pid = 0;
    double asked_s = 0;
    double came_s = 0;
    bool is_unasked = false;
    std::optional<AgentHello> came = {};
    std::optional<WalkerWatch> walker = {};
    std::optional<double> closed_s = {};
  };

  struct Gone {
    std::int32_t pid = 0;
    std::int32_t pid_in_target = 0;
    AgentRing::WalkState walk = {};
  };

  void take_hellos();
  void take_hello(AgentHello hello);
  void take_walk(AgentHello hello);
  [[nodiscard]] std::int32_t pid_of(const AgentHello& walk) const;
  void read_walks();
  [[nodiscard]] AgentRing::WalkState walk_of(std::int32_t pid) const;
  void read_rings();
  void note_unfollowed(const std::vector<std::string>& names);
  void limit_samples(Agent& agent, double at_s) const;
  void read_books(model::Tick& tick, const ProcessTree& tree);
  void note_end(const Agent& agent);
  static std::uint64_t dropped_of(const AgentStatus& status);

  double sites_interval_s_ = 1.0;
  std::optional<double> first_began_s_;  // steady seconds
  bool grows_ = false;
  std::string folder_;
  std::string path_;
  std::vector<AgentSocket> sockets_;                                  // the first lies in folder_
  std::unique_ptr<SiteTools> tools_ = std::make_unique<SiteTools>();  // books refer to it
  std::map<std::int32_t, std::unique_ptr<Agent>> agents_;
  std::vector<model::SiteInfo> begun_;
  std::vector<Walk> walks_;
  std::vector<Gone> gone_;
  std::vector<model::Snapshot> snapshots_;
  AgentSummary ended_;  // of agents that are gone
  std::set<std::string> unfollowed_;
  double wait_s_ = 1;
  double rings_wait_s_ = 0;  // samples come faster than the rings are read
  double polled_at_s_ = 0;
  double spent_s_ = 0;
};

}  // namespace lowtide::observe

// One tick: everything that can be read of the job, its cgroup, the machine and
// its GPUs at one moment, within the budget.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/report.h"
#include "model/tick.h"
#include "model/verdict.h"
#include "observe/agents/agent_registry.h"
#include "observe/agents/trainer_marks.h"
#include "observe/gpu_watch.h"
#include "observe/tree/process_tree.h"
#include "observe/tree/pss_budget.h"
#include "observe/tree/shared_objects.h"
#include "procfs/cgroup.h"
#include "procfs/text_file.h"

namespace lowtide::observe {

// The limit that the job will meet first.
struct NearestLimit {
  model::LimitKind kind = model::LimitKind::Host;
  std::uint64_t limit_bytes = 0;  // as it is set
  std::uint64_t reach_bytes = 0;  // what the target has when it is met: others use the same memory
};

class Monitor {
 public:
  struct Options {
    ProcessTree::Options tree;
    std::optional<std::uint64_t> limit_bytes;  // the user's own
    std::optional<double> began_unix_s;        // when the job began to make files; absent: now
    bool use_gpu = true;
    bool use_pss = true;
    AgentRegistry* agents = nullptr;  // must outlive the monitor
  };

  static base::Result<Monitor> open(const Options& options, double at_s);

  // The same object at every tick: its vectors keep their room.
  const model::Tick& tick(double at_s, double step);

  [[nodiscard]] AgentRegistry* agents() const { return options_.agents; }
  [[nodiscard]] double steps_told() const { return marks_.steps(); }
  [[nodiscard]] ProcessTree& tree() { return tree_; }
  [[nodiscard]] const ProcessTree& tree() const { return tree_; }
  [[nodiscard]] const std::optional<NearestLimit>& limit() const { return limit_; }

  // What the job may still take until the kernel kills all of its processes at once (memory.oom.group).
  // Absent where it kills single processes, or nothing.
  [[nodiscard]] std::optional<std::uint64_t> room_before_group_kill() const;

  // What happened since the tick before: kills that the cgroup counted.
  [[nodiscard]] const std::vector<model::Event>& events() const { return events_; }

  [[nodiscard]] const PssBudget& budget() const { return budget_; }
  [[nodiscard]] std::span<const gpu::Device> gpus() const { return gpus_.devices(); }
  // The job's shared memory, mapped or not.
  [[nodiscard]] const SharedObjects& shared_objects() const { return shared_objects_; }
  // Why something is not seen; empty when all is.
  [[nodiscard]] const std::vector<std::string>& blind_spots() const { return blind_spots_; }

 private:
  Monitor(const Options& options, ProcessTree tree);

  [[nodiscard]] bool is_sweep_due(double at_s);
  [[nodiscard]] bool is_worth_reading(const Member& member) const;
  void sweep_pss(double at_s);
  void add_up();
  [[nodiscard]] std::uint64_t worth_a_sweep_bytes() const;
  [[nodiscard]] bool is_close_to_limit() const;
  void find_cgroup(double at_s);
  void read_cgroup(double at_s);
  void read_host();
  void find_limit();
  void note_once(const std::string& text);

  Options options_;
  ProcessTree tree_;
  SharedObjects shared_objects_;
  PssBudget budget_;
  std::uint64_t moved_bytes_ = 0;  // in families since the last sweep, at most
  double next_full_sweep_s_ = 0;
  bool full_sweep_ = false;
  bool is_stale_ = false;                // a sweep was due and could not be afforded
  std::uint64_t shared_left_bytes_ = 0;  // by processes that ended since the last sweep
  std::optional<procfs::CgroupMemory> cgroup_;
  double next_cgroup_look_s_ = 0;
  std::string cgroup_membership_;  // of the process whose cgroup it is
  std::optional<procfs::CgroupLimits> cgroup_limits_;
  std::optional<std::uint64_t> oom_kills_;
  procfs::KeptText meminfo_;
  procfs::KeptText pressure_;
  GpuWatch gpus_;
  TrainerMarks marks_;
  std::optional<NearestLimit> limit_;
  std::vector<model::Event> events_;
  std::vector<std::string> blind_spots_;
  model::Tick tick_;
};

}  // namespace lowtide::observe

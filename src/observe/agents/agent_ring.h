// The reading end of an agent's memory file (wire/layout.h).
//
// Everything in the file was written by a process that we do not trust: it is copied
// out first and checked then, every number is held against the size of the file, and
// one read takes a bounded time, however much is written meanwhile.

#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "model/tick.h"
#include "wire/layout.h"

namespace lowtide::observe {

// One sampled allocation. The spans are valid during the call that hands it over.
struct AgentAllocation {
  std::uint64_t sample = 0;
  std::uint64_t time_ns = 0;
  std::uint64_t address = 0;
  std::uint64_t requested_bytes = 0;
  std::uint64_t weight_bytes = 0;
  bool is_main_thread = false;
  std::uint32_t phase = 0;  // of the trainer, from 1; 0: in none
  wire::Source source = wire::Source::Malloc;
  std::uint32_t device = 0;  // of memory on a GPU: as CUDA numbers it in the process
  bool is_live = false;      // false: freed already, or not tracked; not worth unwinding
  bool is_tracked = false;   // false: will never be known to be freed
  bool frames_cut = false;
  std::array<std::uint64_t, wire::kRegisters> registers{};
  std::span<const wire::PythonFrame> frames;  // innermost first
  std::span<const std::byte> stack;           // from the stack pointer upwards
};

struct AgentCode {
  std::uint32_t code = 0;
  std::uint32_t first_line = 0;
  std::string_view file;  // bytes of the target: through base::printable before they are shown
  std::string_view function;
};

class AgentSink {
 public:
  virtual ~AgentSink() = default;

  virtual void on_code(const AgentCode& code) = 0;
  virtual void on_allocation(const AgentAllocation& allocation) = 0;
  // Of an allocation that was handed over as live.
  virtual void on_free(std::uint64_t sample) = 0;
};

struct AgentStatus {
  wire::AgentState state = wire::AgentState::Starting;
  wire::OffReason reason = wire::OffReason::None;
  wire::PythonState python_state = wire::PythonState::Absent;
  std::uint32_t python_version = 0;  // as 0x030b
  std::uint64_t mean_bytes = 0;
  std::uint64_t samples = 0;
  std::uint64_t sampled_bytes = 0;
  std::uint64_t frees = 0;
  std::uint64_t sampling_ns = 0;
  std::uint64_t asking_ns = 0;
  std::uint64_t module_changes = 0;
  std::array<std::uint64_t, static_cast<std::size_t>(wire::Drop::Count)> drops{};
  std::array<std::uint64_t, static_cast<std::size_t>(wire::Drop::Count)> dropped_bytes{};
};

// What the CUDA driver was asked for (wire::DriverPart), as written by the agent.
struct AgentDriver {
  wire::DriverState state = wire::DriverState::None;
  std::uint64_t allocations = 0;
  std::uint64_t failures = 0;
  std::uint64_t modules = 0;
  std::uint64_t unsized = 0;
  std::uint64_t imported = 0;
  std::vector<std::string> unfollowed;  // functions that the agent does not know; printable
};

// What a trim trial found, as the agent says: not to be believed further than it can be checked.
struct AgentTrial {
  wire::TrialState state = wire::TrialState::None;
  std::uint64_t rss_before_bytes = 0;
  std::uint64_t rss_after_bytes = 0;
  std::uint64_t trim_ns = 0;
  std::uint64_t inspect_ns = 0;
  std::uint64_t arena_bytes = 0;
  std::uint64_t free_bytes = 0;
  std::uint64_t mapped_bytes = 0;
};

// What the trainer reports (wire::MarksPart), as written by the agent.
struct AgentPhase {
  std::string name;
  std::uint64_t count = 0;
  std::uint64_t took_ns = 0;
};

struct AgentDevice {  // a GPU as CUDA numbers it in the process
  std::uint64_t allocated_bytes = 0;
  std::uint64_t reserved_bytes = 0;
  std::uint64_t inactive_split_bytes = 0;
  std::uint64_t retries = 0;
  std::uint64_t ooms = 0;
  std::uint64_t total_bytes = 0;        // of the GPU or MIG slice; 0: unknown, and so is the UUID
  std::array<std::uint64_t, 2> uuid{};  // its 16 bytes as they are in memory
  model::Framework framework = model::Framework::Torch;
};

struct AgentMarks {
  wire::MarksState state = wire::MarksState::None;
  std::uint64_t steps = 0;
  bool are_own_steps = false;        // the job counts them itself
  std::optional<std::size_t> phase;  // it is in: an index into phases
  std::vector<AgentPhase> phases;
  std::vector<AgentDevice> devices;  // by torch's number
  std::uint64_t pinned_bytes = 0;
  std::uint64_t oom_wanted_bytes = 0;  // of the last time that torch ran out of a GPU's memory
  std::uint64_t oom_free_bytes = 0;
  std::string oom_stack;  // of the job, so unchecked: line, function and file of each frame
};

class AgentRing {
 public:
  // The file must be sealed against shrinking, or the target could take our memory away.
  static base::Result<AgentRing> open(const base::Fd& file);

  // Over memory that outlives the ring; for tests.
  static base::Result<AgentRing> over(std::span<std::byte> memory);

  ~AgentRing();
  AgentRing(AgentRing&& other) noexcept;
  AgentRing& operator=(AgentRing&& other) noexcept;
  AgentRing(const AgentRing&) = delete;
  AgentRing& operator=(const AgentRing&) = delete;

  // Reads what is there and looks which samples are gone. Also informs the agent that
  // somebody reads: without a poll for 10 s it goes quiet. Malformed: the file is
  // broken for good.
  base::Result<std::size_t> poll(AgentSink& sink);

  [[nodiscard]] AgentStatus status() const;
  [[nodiscard]] std::int32_t pid_in_target() const { return pid_; }
  [[nodiscard]] wire::Machine machine() const { return machine_; }
  [[nodiscard]] std::size_t live_samples() const { return live_.size(); }

  // The agent stops sampling with its next sample.
  void ask_off();

  // The agent calls malloc_trim with its next sample that is not of mmap, once.
  void ask_trim();

  // The interpreter forks at its next bytecode, and the child walks over its objects; not after `patience`.
  void ask_walk(std::chrono::nanoseconds patience);
  struct WalkState {
    bool is_pending = false;    // asked for, not yet forked
    std::int32_t result = 0;    // of the last that was: a wire::SnapshotResult, or the pause in microseconds
    std::uint32_t fork_us = 0;  // of the pause, on a processor
  };
  [[nodiscard]] WalkState walk() const;
  [[nodiscard]] AgentTrial trial() const;
  [[nodiscard]] AgentDriver driver() const;

  // The interpreter hands on its steps and phases from now on, and torch's counters once.
  void ask_marks();
  // Which snapshots the agent may take without a request: of wire::UnsolicitedSnapshot.
  void allow_unsolicited(std::uint32_t which);
  // What the agent takes per second at most; 0: its own limit.
  void limit_samples(std::uint32_t per_second);
  void read_marks(AgentMarks& into) const;  // whose room is used again

 private:
  struct Live {
    std::uint64_t sample = 0;
    wire::Source source = wire::Source::Malloc;
  };

  AgentRing(std::span<std::byte> memory, bool owned) : memory_(memory), owned_(owned) {}

  [[nodiscard]] wire::Header& header() const;
  bool check_header();
  [[nodiscard]] std::uint64_t sample_in(std::uint64_t slot) const;
  [[nodiscard]] bool is_ending() const;
  void copy_from_ring(std::uint64_t position, std::span<std::byte> into) const;
  void give_back();
  bool read_record(std::uint64_t position, std::uint32_t& bytes, AgentSink& sink);
  bool take_allocation(AgentSink& sink);
  bool take_code(AgentSink& sink);
  bool look_for_frees(AgentSink& sink);

  std::span<std::byte> memory_;
  bool owned_ = false;
  bool broken_ = false;
  std::uint64_t ring_offset_ = 0;
  std::uint64_t ring_bytes_ = 0;
  std::uint64_t table_offset_ = 0;
  std::uint64_t tail_ = 0;
  std::uint64_t heartbeat_ = 0;
  std::uint64_t seen_frees_ = 0;
  std::uint64_t touched_bytes_ = 0;  // since pages were given back
  std::int32_t pid_ = 0;
  wire::Machine machine_ = wire::Machine::Amd64;
  std::vector<std::byte> record_;
  std::vector<wire::PythonFrame> frames_;
  std::unordered_map<std::uint64_t, Live> live_;  // by slot: never more than there are slots
};

}  // namespace lowtide::observe

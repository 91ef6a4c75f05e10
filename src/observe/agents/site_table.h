// The sites of one process: samples in, live bytes per stack out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "model/site.h"
#include "observe/agents/agent_ring.h"
#include "observe/agents/mixed_stack.h"
#include "symbols/address_space.h"
#include "symbols/image_store.h"
#include "symbols/symbolizer.h"
#include "symbols/unwinder.h"

namespace lowtide::observe {

// What the books of all processes share: files that are open, names that are known, time that is left.
struct SiteTools {
  symbols::ImageStore images;
  symbols::Symbolizer symbolizer;
  std::uint32_t sites = 0;  // given out
  double unwind_credit_s = 0;
  // Of Python's functions and files. The workers of a job run the same code: each name is kept once.
  std::unordered_set<std::string> names = {""};
  const std::string* keep(std::string_view name);
};

class SiteTable : public AgentSink {
 public:
  // `tools` must outlive it.
  SiteTable(std::int32_t pid, SiteTools& tools);
  ~SiteTable() override = default;
  SiteTable(const SiteTable&) = delete;
  SiteTable& operator=(const SiteTable&) = delete;
  SiteTable(SiteTable&&) = delete;
  SiteTable& operator=(SiteTable&&) = delete;

  void on_code(const AgentCode& code) override;
  void on_allocation(const AgentAllocation& allocation) override;
  void on_free(std::uint64_t sample) override;

  // Libraries were loaded or unloaded.
  void forget_places();

  // Adds the sites that are worth a reading now; those that are so for the first
  // time are listed in `begun` before.
  void read_sites(model::ProcessId process, double at_s, std::vector<model::SiteReading>& readings,
                  std::vector<model::SiteInfo>& begun);

  // The number of the latest sample of the main thread if it was taken in an import; 0: it was not.
  [[nodiscard]] std::uint64_t sample_in_import() const { return sample_in_import_; }

  // Of all sites of the host; memory that processes share is not in it.
  [[nodiscard]] std::uint64_t live_bytes() const { return live_bytes_; }
  [[nodiscard]] std::uint64_t live_samples() const { return live_.size() - live_of_driver_; }

  // Of samples that have grown old, those that were allocated in each phase of the trainer; 0: in none.
  using PhaseBytes = std::array<std::uint64_t, wire::kMaxPhases + 1>;
  [[nodiscard]] const PhaseBytes& kept_in_phases() const { return kept_in_phases_; }

 private:
  struct Code {
    const std::string* file = nullptr;
    const std::string* function = nullptr;
  };
  // What a stack is named from. Names take ten times as much.
  struct Stack {
    std::vector<std::uint64_t> addresses = {};
    std::vector<wire::PythonFrame> calls = {};
    wire::Source source = {};
  };
  struct Site {
    model::SiteId id{};
    model::SiteMemory memory = {};
    std::uint32_t cuda_device = 0;
    Stack stack = {};  // while something of it is alive, until it has begun
    bool cut = false;
    bool has_begun = false;
    std::uint64_t live_bytes = 0;
    std::uint64_t live_samples = 0;
    double variance = 0;  // of live_bytes
    std::uint64_t allocated_bytes = 0;
    std::uint64_t allocated_samples = 0;
    std::uint64_t shared_bytes = 0;
    model::OldSamples old = {};
    std::uint64_t told_bytes = 0;  // live, at the latest reading
    std::uint64_t told_old_bytes = 0;
    double told_at_s = -1e18;
  };
  struct LiveSample {
    std::uint32_t site = 0;
    std::uint64_t weight_bytes = 0;
    float variance = 0;
    std::uint8_t phase = 0;
    bool is_shared = false;
    bool is_old = false;
  };
  struct YoungSample {
    std::uint64_t sample = 0;
    double since_s = 0;  // of the first reading that found it alive
  };

  void let_age(double at_s);
  void note_import(const AgentAllocation& allocation);
  symbols::StackEnd unwind(const AgentAllocation& allocation);
  std::uint32_t find_site(const AgentAllocation& allocation);
  std::uint64_t& live_bytes_of(Site& site, bool is_shared);
  [[nodiscard]] Stack stack_of(const AgentAllocation& allocation) const;
  void keep_stack(Site& site, const AgentAllocation& allocation) const;
  std::vector<model::Frame> name(const Stack& stack);

  SiteTools& tools_;
  symbols::AddressSpace space_;
  symbols::Unwinder unwinder_;
  bool has_maps_ = false;
  std::unordered_map<std::uint32_t, Code> codes_;
  std::unordered_set<std::uint32_t> import_codes_;  // functions of Python's import system
  std::uint64_t sample_in_import_ = 0;
  std::vector<Site> sites_;  // 0: all that came after there were too many
  // Two ways through the interpreter that a person cannot distinguish are one site: first by what was
  // sampled, then by what is shown of it.
  std::unordered_map<std::uint64_t, std::uint32_t> by_stack_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_frames_;
  std::unordered_map<std::uint64_t, LiveSample> live_;
  std::uint64_t live_bytes_ = 0;
  std::uint64_t driver_bytes_ = 0;    // live, in memory of the CUDA driver
  std::uint64_t live_of_driver_ = 0;  // samples
  PhaseBytes kept_in_phases_{};
  std::vector<std::uint64_t> new_;  // since the latest reading
  std::deque<YoungSample> young_;   // oldest first; some may be gone by now
  double first_read_at_s_ = -1;
  std::vector<std::uint64_t> addresses_;  // of the stack at hand
};

}  // namespace lowtide::observe

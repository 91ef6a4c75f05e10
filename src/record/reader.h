// Reads a recording: of a run that ended, of one that goes on, of one whose
// monitor was killed, and what is left of a damaged one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/judgement.h"
#include "model/library_version.h"
#include "model/phase.h"
#include "model/process.h"
#include "model/shared_group.h"
#include "model/site.h"
#include "model/trim_trial.h"
#include "record/header.h"
#include "record/meta.h"
#include "record/recorded.h"

namespace lowtide::record {

// Text is as the job left it: base::printable before it is shown.
// Every visitor goes from old to new. Where stretches of many processes are
// visited together, each process is in order, and stretches of one level come in
// the order in which they ended. A point may be of a process that processes() no
// longer lists: of very many, the short-lived are forgotten.
class Recording {
 public:
  static base::Result<Recording> open(const std::string& path);

  Recording(Recording&& other) noexcept;
  Recording& operator=(Recording&& other) noexcept;
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording();

  [[nodiscard]] const Header& header() const;
  [[nodiscard]] const std::map<std::string, std::string>& meta() const;
  // Absent also where the value is not of its type. `number` is for a key that has one in its name.
  template <Meta Key>
  [[nodiscard]] std::optional<MetaValue<Key>> meta(std::size_t number = 0) const {
    const auto found = meta().find(meta_key(Key, number));
    return found == meta().end() ? std::nullopt : parse_meta<MetaValue<Key>>(found->second);
  }
  [[nodiscard]] bool closed_cleanly() const;  // false also while the run goes on
  [[nodiscard]] double last_at_s() const;     // of the last tick; 0 without any
  [[nodiscard]] std::uint64_t lost_ticks() const;

  std::vector<model::ProcessInfo> processes();
  std::vector<model::SiteInfo> sites();  // without those that only their process is known of
  std::vector<RecordedEvent> events();
  std::vector<model::Judgement> judgements();
  std::vector<Outage> outages();
  std::vector<model::TrimTrial> trim_trials();
  std::vector<model::Phase> phases();
  std::vector<model::PhaseVisit> phase_visits();
  // The text of a Python file of the job, if it was copied. `path` is as in the frames of sites().
  std::optional<std::string> source_text(const std::string& path);
  std::vector<model::LibraryVersion> libraries();
  std::vector<model::SharedGroup> shared_groups();  // the largest first
  // Oldest first. Of very many only some have their objects (has_holders), see chosen_snapshots.h.
  std::vector<RecordedSnapshot> snapshots();

  void for_each_target(const std::function<void(const TargetPoint&)>& visit);
  void for_each_process_point(const std::function<void(const ProcessPoint&)>& visit);
  void for_each_process_point(model::ProcessId process,
                              const std::function<void(const ProcessPoint&)>& visit);
  void for_each_cgroup(const std::function<void(const CgroupPoint&)>& visit);
  void for_each_host(const std::function<void(const HostPoint&)>& visit);
  void for_each_tmpfs(const std::function<void(const TmpfsPoint&)>& visit);
  void for_each_gpu(const std::function<void(const GpuPoint&)>& visit);
  void for_each_gpu_process(const std::function<void(const GpuProcessPoint&)>& visit);
  void for_each_heap(const std::function<void(const HeapPoint&)>& visit);
  void for_each_site(const std::function<void(const SitePoint&)>& visit);

  // What could not be read, or may be missing. Grows while reading, so ask last.
  [[nodiscard]] const std::vector<std::string>& warnings() const;
  void warn(const std::string& text);

 private:
  struct State;
  explicit Recording(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace lowtide::record

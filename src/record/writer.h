// Writes the recording of one watched run, a tick at a time.
//
// The monitor may be killed at any moment, the disk may fill up, the folder may
// go away: none of it may stop the tick loop, because behind it is somebody's
// job. So nothing here throws or returns an error once the recording is made.
// What cannot be written is counted, writing is tried again now and then, and
// the loss is put on record when there is room again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "model/judgement.h"
#include "model/library_version.h"
#include "model/phase.h"
#include "model/process.h"
#include "model/report.h"
#include "model/shared_group.h"
#include "model/site.h"
#include "model/snapshot.h"
#include "model/source_file.h"
#include "model/tick.h"
#include "model/trim_trial.h"
#include "record/header.h"
#include "record/meta.h"

namespace lowtide::record {

// Not thread-safe: one thread owns it. It starts one thread of its own, that
// moves the log into the database and waits for the disk in our stead.
class Writer {
 public:
  // Makes the file; refuses one that exists, whatever it holds.
  static base::Result<Writer> create(const std::string& path, const Header& header);

  Writer(Writer&& other) noexcept;
  Writer& operator=(Writer&& other) noexcept;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  // Without close() the recording counts as cut off.
  ~Writer();

  // A process must have begun before it appears in a tick.
  void begin_process(const model::ProcessInfo& process);
  // What was learnt later: its role, its end, its exit status.
  void update_process(const model::ProcessInfo& process);
  void update_shared_group(const model::SharedGroup& group);  // the latest of its place stays
  void update_phase(const model::Phase& phase);               // the latest word of a phase stays
  void add_phase_visit(const model::PhaseVisit& visit);
  // A site must have begun before it appears in a tick.
  void begin_site(const model::SiteInfo& site);
  void add(const model::Tick& tick);
  void add_event(const model::Event& event, std::optional<model::ProcessId> process);
  void add_judgement(const model::Judgement& judgement);
  void add_trim_trial(const model::TrimTrial& trial);
  void add_source(model::SourceFile source);
  void add_library(model::LibraryVersion library);
  void add_snapshot(model::ProcessId process, const model::Snapshot& snapshot);
  // `number` is for a key that has one in its name.
  template <Meta Key>
  void set_meta(const MetaValue<Key>& value, std::size_t number = 0) {
    stage_meta(meta_key(Key, number), meta_text(value));
  }

  // Everything since the last commit() enters the file together, or not at all.
  // Once per tick: a kill then costs at most the last tick.
  void commit();

  // Commits, says that the run ended in order, and leaves a single file behind.
  void close();

  // What stands in the way of writing now; null when all is well.
  [[nodiscard]] const base::Error* failure() const;
  // Ticks that did not reach the file, over the whole run, and why the latest did not.
  [[nodiscard]] std::uint64_t lost_ticks() const;
  [[nodiscard]] const std::string& why_lost() const;
  [[nodiscard]] const std::string& path() const;

 private:
  struct State;
  explicit Writer(std::unique_ptr<State> state);
  void stage_meta(const std::string& key, const std::string& value);

  std::unique_ptr<State> state_;
};

}  // namespace lowtide::record

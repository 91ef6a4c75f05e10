// All of a recording that is not samples: meta, processes, sites, events, judgements,
// outages. What is handed in is kept until it is in the file, so that a full
// disk costs samples and never a process, an exit or an OOM kill.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/judgement.h"
#include "model/phase.h"
#include "model/process.h"
#include "model/report.h"
#include "model/site.h"
#include "model/trim_trial.h"
#include "record/header.h"
#include "record/reader.h"
#include "record/sqlite.h"

namespace lowtide::record {

class SmallTables {
 public:
  static base::Result<SmallTables> create(Database& database);

  void stage(const Header& header);
  void stage(const model::ProcessInfo& process);
  void stage(const model::SiteInfo& site);
  void stage(const model::Event& event, std::optional<model::ProcessId> process);
  void stage(const model::Judgement& judgement);
  void stage(const model::TrimTrial& trial);
  void stage(const model::Phase& phase);
  void stage(const model::PhaseVisit& visit);
  void stage_meta(std::string_view key, std::string_view value);

  [[nodiscard]] bool empty() const;
  // Writes what is staged; it stays staged until written() is called.
  [[nodiscard]] int write();
  // The transaction is in the file.
  void written();

  [[nodiscard]] int write(const Outage& outage);
  // Removes old judgements and, where there are too many, processes that were
  // short-lived and ended long ago.
  [[nodiscard]] int thin(Database& database, double now_s);

 private:
  struct StagedJudgement {
    model::Judgement judgement;
    bool kept = false;  // stays for good
  };

  [[nodiscard]] int write(const model::ProcessInfo& process);
  [[nodiscard]] int write(const model::SiteInfo& site);
  [[nodiscard]] int write(const RecordedEvent& event);
  [[nodiscard]] int write(const StagedJudgement& staged);
  [[nodiscard]] int write(const model::TrimTrial& trial);
  [[nodiscard]] int write(const model::Phase& phase);
  [[nodiscard]] int write(const model::PhaseVisit& visit);
  [[nodiscard]] int write_meta(std::string_view key, std::string_view value);

  std::vector<model::ProcessInfo> processes_;
  std::vector<model::SiteInfo> sites_;
  std::vector<RecordedEvent> events_;
  std::vector<StagedJudgement> judgements_;
  std::vector<model::TrimTrial> trim_trials_;
  std::vector<model::Phase> phases_;
  std::vector<model::PhaseVisit> visits_;
  std::vector<std::pair<std::string, std::string>> meta_;

  std::uint64_t known_processes_ = 0;      // rows in the table
  std::uint64_t forgotten_processes_ = 0;  // rows removed from it
  std::int64_t highest_process_ = -1;
  std::uint64_t events_seen_ = 0;
  std::uint64_t visits_seen_ = 0;
  std::uint64_t outages_ = 0;
  double kept_judgement_s_ = -1e18;
  std::optional<model::VerdictKind> kept_kind_;

  Statement put_process_;
  Statement put_site_;
  Statement put_frame_;
  Statement put_event_;
  Statement put_judgement_;
  Statement put_trim_trial_;
  Statement put_phase_;
  Statement put_visit_;
  Statement put_meta_;
  Statement put_outage_;
  Statement extend_outage_;
  Statement remove_judgements_;
  Statement remove_processes_;
};

}  // namespace lowtide::record

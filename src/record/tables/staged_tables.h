// All of a recording that is not samples: meta, processes, sites, events, judgements, snapshots, outages.
// Rows are kept until they are in the file, so that a full disk costs samples and never a process, an exit or
// an OOM kill.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/result.h"
#include "record/header.h"
#include "record/meta.h"
#include "record/sqlite.h"
#include "record/tables/descriptions.h"

namespace lowtide::record {

class StagedTables {
 public:
  static base::Result<StagedTables> create(Database& database);

  void stage(const Header& header);
  void stage(const model::ProcessInfo& process);
  void stage(const model::SiteInfo& site);
  void stage(const model::Event& event, std::optional<model::ProcessId> process);
  void stage(const model::Judgement& judgement);
  void stage(const model::TrimTrial& trial);
  void stage(model::SourceFile source);
  void stage(model::LibraryVersion library);
  void stage(const model::SharedGroup& group);
  void stage(const model::Phase& phase);
  void stage(const model::PhaseVisit& visit);
  // Only a part of it is kept (kept_snapshot.h).
  void stage(model::ProcessId process, const model::Snapshot& snapshot);
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
  template <typename Row>
  struct Staged {
    std::vector<Row> rows;
    Insert<Row> insert;
  };

  template <typename Row>
  [[nodiscard]] Staged<Row>& staged() {
    return std::get<Staged<Row>>(tables_);
  }
  template <typename Row>
  bool add(Row row, std::size_t most);

  std::tuple<Staged<model::ProcessInfo>, Staged<model::SiteInfo>, Staged<FrameRow>, Staged<RecordedEvent>,
             Staged<JudgementRow>, Staged<model::TrimTrial>, Staged<model::Phase>, Staged<model::PhaseVisit>,
             Staged<model::SourceFile>, Staged<model::LibraryVersion>, Staged<model::SharedGroup>,
             Staged<SnapshotRow>, Staged<NodeRow>, Staged<TensorRow>, Staged<TypeRow>, Staged<ContentRow>,
             Staged<UseRow>, Staged<GpuPoolRow>, Staged<GpuLineRow>, Staged<GpuPeakRow>, Staged<MetaRow>>
      tables_;

  std::uint64_t known_processes_ = 0;      // rows in the table
  std::uint64_t forgotten_processes_ = 0;  // rows removed from it
  std::int64_t highest_process_ = -1;
  std::uint64_t events_seen_ = 0;
  std::uint64_t visits_seen_ = 0;
  std::uint64_t outages_ = 0;
  std::int64_t last_snapshot_ = 0;
  double kept_judgement_s_ = -1e18;
  std::optional<model::VerdictKind> kept_kind_;

  Insert<Outage> put_outage_;
  Statement extend_outage_;
  Statement remove_judgements_;
  Statement remove_processes_;
};

}  // namespace lowtide::record

#include "record/tables/staged_tables.h"

#include <algorithm>

#include "base/text.h"
#include "record/tables/kept_snapshot.h"

namespace lowtide::record {
namespace {

// A launch command is worth its whole length; the ten thousandth child is not.
constexpr std::size_t kCommandBytes = 4'096;
constexpr std::size_t kLaterCommandBytes = 200;
constexpr std::uint64_t kWholeCommands = 500;
constexpr std::uint64_t kMostProcesses = 20'000;
// While nothing can be written.
constexpr std::size_t kMostStaged = 50'000;
constexpr std::size_t kMostStagedSites = 4'000;
constexpr std::size_t kMostStagedJudgements = 64;
constexpr std::size_t kMostStagedSnapshots = 64;
// In the whole run.
constexpr std::uint64_t kMostEvents = 5'000;
constexpr std::uint64_t kMostVisits = 20'000;
constexpr std::uint64_t kMostOutages = 500;
// Judgements: all of the last hour, before that one in ten minutes and those
// that changed their mind.
constexpr double kJudgementAgeSeconds = 3600;
constexpr double kJudgementEverySeconds = 600;
constexpr double kJudgementChangeSeconds = 60;

}  // namespace

base::Result<StagedTables> StagedTables::create(Database& database) {
  StagedTables tables;
  std::optional<base::Error> first_error;
  const auto prepare = [&](Statement& into, const std::string& sql) {
    auto prepared = database.prepare(sql);
    if (prepared.ok()) {
      into = std::move(prepared).value();
    } else if (!first_error) {
      first_error = std::move(prepared).error();
    }
  };
  std::apply([&](auto&... each) { (prepare(each.insert.statement, each.insert.sql()), ...); },
             tables.tables_);
  prepare(tables.put_outage_.statement, Insert<Outage>::sql());
  prepare(tables.extend_outage_,
          "UPDATE outage SET to_s = ?, ticks = ticks + ?, why = ? WHERE id = (SELECT max(id) FROM outage)");
  prepare(tables.remove_judgements_, "DELETE FROM judgement WHERE kept = 0 AND at_s < ?");
  prepare(tables.remove_processes_,
          "DELETE FROM process WHERE id IN (SELECT id FROM process WHERE ended_s IS NOT NULL AND ended_s - "
          "started_s < ? ORDER BY id LIMIT ?)");
  if (first_error) return *std::move(first_error);
  return tables;
}

template <typename Row>
bool StagedTables::add(Row row, std::size_t most) {
  std::vector<Row>& rows = staged<Row>().rows;
  if (rows.size() >= most) return false;
  rows.push_back(std::move(row));
  return true;
}

void StagedTables::stage(const Header& header) {
  for_each_member(header, [&]<typename Value>(Meta key, const Value& value) {
    if constexpr (std::is_same_v<Value, std::string>) {
      stage_meta(meta_key(key), base::printable(value, kCommandBytes));
    } else if constexpr (std::is_same_v<Value, std::optional<std::uint64_t>>) {
      if (value) stage_meta(meta_key(key), meta_text(*value));
    } else {
      stage_meta(meta_key(key), meta_text(value));
    }
  });
  stage_meta(meta_key(Meta::Closed), meta_text(false));
}

// One process may be staged several times; written in order, the latest stays.
void StagedTables::stage(const model::ProcessInfo& process) {
  const auto id = static_cast<std::int64_t>(process.id);
  const bool is_new = id > highest_process_;
  const bool is_whole = known_processes_ + (is_new ? 1 : 0) <= kWholeCommands;
  model::ProcessInfo row = process;
  row.command = base::printable(process.command, is_whole ? kCommandBytes : kLaterCommandBytes);
  if (add(std::move(row), kMostStaged) && is_new) {
    highest_process_ = id;
    ++known_processes_;
  }
}

void StagedTables::stage(const model::SiteInfo& site) {
  if (!add(model::SiteInfo{.id = site.id, .process = site.process, .cut = site.cut}, kMostStagedSites))
    return;
  std::uint32_t depth = 0;
  for (const model::Frame& frame : site.frames) staged<FrameRow>().rows.push_back({site.id, depth++, frame});
}

void StagedTables::stage(const model::Event& event, std::optional<model::ProcessId> process) {
  ++events_seen_;
  if (events_seen_ <= kMostEvents) {
    add(RecordedEvent{event, process}, kMostEvents);
  } else {
    stage_meta(meta_key(Meta::EventsLeftOut), meta_text(events_seen_ - kMostEvents));
  }
}

void StagedTables::stage(const model::Judgement& judgement) {
  const double since_s = judgement.at_s - kept_judgement_s_;
  const bool changed = kept_kind_ != judgement.verdict.kind && since_s >= kJudgementChangeSeconds;
  const bool kept = changed || since_s >= kJudgementEverySeconds;
  if (kept) {
    kept_judgement_s_ = judgement.at_s;
    kept_kind_ = judgement.verdict.kind;
  }
  auto& rows = staged<JudgementRow>().rows;
  if (rows.size() >= kMostStagedJudgements) rows.erase(rows.begin());
  rows.push_back({judgement, kept});
}

void StagedTables::stage(const model::TrimTrial& trial) {
  add(trial, kMostStaged);
}

void StagedTables::stage(model::SourceFile source) {
  add(std::move(source), kMostStaged);
}

void StagedTables::stage(model::LibraryVersion library) {
  add(std::move(library), kMostStaged);
}

// Written in order, the latest of a place stays.
void StagedTables::stage(const model::SharedGroup& group) {
  auto& rows = staged<model::SharedGroup>().rows;
  const auto same = std::find_if(rows.begin(), rows.end(),
                                 [&](const model::SharedGroup& row) { return row.place == group.place; });
  if (same != rows.end()) {
    *same = group;
  } else {
    add(group, kMostStaged);
  }
}

// The latest of a phase stays.
void StagedTables::stage(const model::Phase& phase) {
  auto& rows = staged<model::Phase>().rows;
  const auto same = std::find_if(rows.begin(), rows.end(), [&](const model::Phase& row) {
    return row.process == phase.process && row.name == phase.name;
  });
  if (same != rows.end()) {
    *same = phase;
  } else {
    add(phase, kMostStaged);
  }
}

void StagedTables::stage(const model::PhaseVisit& visit) {
  if (visits_seen_ >= kMostVisits) return;
  ++visits_seen_;
  add(visit, kMostVisits);
}

void StagedTables::stage(model::ProcessId process, const model::Snapshot& snapshot) {
  if (staged<SnapshotRow>().rows.size() >= kMostStagedSnapshots) return;
  model::Snapshot kept = kept_part(snapshot);
  const std::int64_t id = ++last_snapshot_;
  const auto add_parts = [&](auto& parts) {
    for (auto& part : parts) {
      using Row = PartRow<std::remove_cvref_t<decltype(part)>>;
      staged<Row>().rows.push_back(Row{id, std::move(part)});
    }
    parts.clear();
  };
  add_parts(kept.nodes);
  add_parts(kept.tensors);
  add_parts(kept.types);
  add_parts(kept.contents);
  add_parts(kept.uses);
  add_parts(kept.gpu_pools);
  add_parts(kept.gpu_lines);
  add_parts(kept.gpu_peaks);
  add(SnapshotRow{id, {process, std::move(kept)}}, kMostStagedSnapshots);
}

void StagedTables::stage_meta(std::string_view key, std::string_view value) {
  auto& rows = staged<MetaRow>().rows;
  const auto same =
      std::find_if(rows.begin(), rows.end(), [&](const MetaRow& row) { return row.key == key; });
  if (same != rows.end()) {
    same->value = value;
  } else {
    rows.push_back({std::string(key), std::string(value)});
  }
}

bool StagedTables::empty() const {
  return std::apply([](const auto&... each) { return (each.rows.empty() && ...); }, tables_);
}

void StagedTables::written() {
  std::apply([](auto&... each) { (each.rows.clear(), ...); }, tables_);
}

int StagedTables::write() {
  const auto put_all = [](auto& table) {
    int status = SQLITE_OK;
    for (std::size_t at = 0; at < table.rows.size() && status == SQLITE_OK; ++at) {
      status = table.insert.put(table.rows[at]);
    }
    return status;
  };
  int status = SQLITE_OK;
  std::apply([&](auto&... each) { static_cast<void>((((status = put_all(each)) == SQLITE_OK) && ...)); },
             tables_);
  return status;
}

int StagedTables::write(const Outage& outage) {
  // A disk that is full every other minute must not fill it with outages.
  if (outages_ >= kMostOutages) {
    extend_outage_.bind(0, outage.to_s);
    extend_outage_.bind(1, stored(outage.ticks));
    extend_outage_.bind(2, outage.why);
    return extend_outage_.run();
  }
  const int status = put_outage_.put(outage);
  outages_ += status == SQLITE_OK ? 1U : 0U;
  return status;
}

int StagedTables::thin(Database& database, double now_s) {
  remove_judgements_.bind(0, now_s - kJudgementAgeSeconds);
  if (const int status = remove_judgements_.run(); status != SQLITE_OK) return status;
  if (known_processes_ <= kMostProcesses) return SQLITE_OK;
  // The shortest-lived go first; those of an hour only when nothing else is left.
  for (const double life_s : {60.0, 3600.0, 1e18}) {
    remove_processes_.bind(0, life_s);
    remove_processes_.bind(1, std::int64_t{1000});
    if (const int status = remove_processes_.run(); status != SQLITE_OK) return status;
    const auto removed = static_cast<std::uint64_t>(sqlite3_changes(database.handle()));
    if (removed > 0) {
      known_processes_ -= std::min(known_processes_, removed);
      forgotten_processes_ += removed;
      return staged<MetaRow>().insert.put(
          {meta_key(Meta::ForgottenProcesses), meta_text(forgotten_processes_)});
    }
  }
  return SQLITE_OK;
}

}  // namespace lowtide::record

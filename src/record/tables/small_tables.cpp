#include "record/tables/small_tables.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/text.h"

namespace lowtide::record {
namespace {

// A launch command is worth its whole length; the ten thousandth child is not.
constexpr std::size_t kCommandBytes = 4096;
constexpr std::size_t kLaterCommandBytes = 200;
constexpr std::uint64_t kWholeCommands = 500;
constexpr std::uint64_t kMostProcesses = 20'000;
constexpr std::size_t kMostStaged = 50'000;  // while nothing can be written
constexpr std::size_t kMostStagedSites = 4'000;
constexpr std::size_t kNameBytes = 300;  // of a function or a file
constexpr std::uint64_t kMostEvents = 5'000;
constexpr std::size_t kTextBytes = 1'000;
constexpr std::uint64_t kMostOutages = 500;
constexpr std::size_t kMostStagedJudgements = 64;
// Judgements: all of the last hour, before that one in ten minutes and those
// that changed their mind.
constexpr double kJudgementAgeSeconds = 3600;
constexpr double kJudgementEverySeconds = 600;
constexpr double kJudgementChangeSeconds = 60;

std::string number_text(double value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

std::int64_t stored(std::uint64_t value) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(std::min(value, kMost));
}

// Absent, unknown and unbounded are all NULL.
void bind_real(Statement& statement, int at, double value) {
  if (std::isfinite(value)) {
    statement.bind(at, value);
  } else {
    statement.bind_null(at);
  }
}

void bind_real(Statement& statement, int at, const std::optional<double>& value) {
  bind_real(statement, at, value.value_or(std::numeric_limits<double>::quiet_NaN()));
}

void bind_bytes(Statement& statement, int at, const std::optional<std::uint64_t>& value) {
  if (value) {
    statement.bind(at, stored(*value));
  } else {
    statement.bind_null(at);
  }
}

void bind_range(Statement& statement, int at, const std::optional<model::Range>& range) {
  const model::Range none{std::nan(""), std::nan(""), std::nan("")};
  const model::Range& shown = range ? *range : none;
  bind_real(statement, at, shown.estimate);
  bind_real(statement, at + 1, shown.low);
  bind_real(statement, at + 2, shown.high);
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : ",") + word;
  }
  return text;
}

}  // namespace

base::Result<SmallTables> SmallTables::create(Database& database) {
  SmallTables tables;
  struct Wanted {
    Statement& into;
    const char* sql;
  };
  const std::array<Wanted, 13> wanted = {{
      {tables.put_process_, "INSERT OR REPLACE INTO process VALUES(?,?,?,?,?,?,?,?,?,?,?)"},
      {tables.put_site_, "INSERT OR REPLACE INTO site VALUES(?,?,?)"},
      {tables.put_frame_, "INSERT INTO frame VALUES(NULL,?,?,?,?,?,?,?)"},
      {tables.put_event_, "INSERT INTO event VALUES(NULL,?,?,?,?)"},
      {tables.put_judgement_,
       "INSERT INTO judgement VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"},
      {tables.put_trim_trial_, "INSERT INTO trim_trial VALUES(NULL,?,?,?,?,?,?,?,?,?,?)"},
      {tables.put_phase_, "INSERT OR REPLACE INTO phase VALUES(NULL,?,?,?,?,?,?)"},
      {tables.put_visit_, "INSERT INTO phase_visit VALUES(NULL,?,?,?,?)"},
      {tables.put_meta_, "INSERT OR REPLACE INTO meta VALUES(?,?)"},
      {tables.put_outage_, "INSERT INTO outage VALUES(NULL,?,?,?,?)"},
      {tables.extend_outage_,
       "UPDATE outage SET to_s = ?, ticks = ticks + ?, why = ? WHERE id = (SELECT max(id) FROM outage)"},
      {tables.remove_judgements_, "DELETE FROM judgement WHERE kept = 0 AND at_s < ?"},
      {tables.remove_processes_,
       "DELETE FROM process WHERE id IN (SELECT id FROM process WHERE ended_s IS NOT NULL AND ended_s - "
       "started_s < ? "
       "ORDER BY id LIMIT ?)"},
  }};
  for (const Wanted& each : wanted) {
    auto prepared = database.prepare(each.sql);
    if (!prepared.ok()) {
      return std::move(prepared).error();
    }
    each.into = std::move(prepared).value();
  }
  return tables;
}

void SmallTables::stage(const Header& header) {
  stage_meta("command", base::printable(header.command, kCommandBytes));
  stage_meta("working_directory", base::printable(header.working_directory, kCommandBytes));
  stage_meta("host", base::printable(header.host));
  stage_meta("started", base::printable(header.started));
  stage_meta("started_unix_s", number_text(header.started_unix_s));
  stage_meta("lowtide_version", base::printable(header.lowtide_version));
  stage_meta("interval_s", number_text(header.interval_s));
  stage_meta("root_pid", std::to_string(header.root_pid));
  stage_meta("attached", header.attached ? "1" : "0");
  if (header.limit_bytes) {
    stage_meta("limit_bytes", std::to_string(*header.limit_bytes));
  }
  stage_meta("closed", "0");
}

void SmallTables::stage(const model::ProcessInfo& process) {
  // One process may be staged several times; written in order, the latest stays.
  if (processes_.size() < kMostStaged) {
    processes_.push_back(process);
  }
}

void SmallTables::stage(const model::SiteInfo& site) {
  if (sites_.size() < kMostStagedSites) {
    sites_.push_back(site);
  }
}

void SmallTables::stage(const model::Event& event, std::optional<model::ProcessId> process) {
  ++events_seen_;
  if (events_seen_ <= kMostEvents) {
    events_.push_back({event, process});
  } else {
    stage_meta("events_left_out", std::to_string(events_seen_ - kMostEvents));
  }
}

void SmallTables::stage(const model::Judgement& judgement) {
  const double since_s = judgement.at_s - kept_judgement_s_;
  const bool changed = kept_kind_ != judgement.verdict.kind && since_s >= kJudgementChangeSeconds;
  const bool kept = changed || since_s >= kJudgementEverySeconds;
  if (kept) {
    kept_judgement_s_ = judgement.at_s;
    kept_kind_ = judgement.verdict.kind;
  }
  if (judgements_.size() >= kMostStagedJudgements) {
    judgements_.erase(judgements_.begin());
  }
  judgements_.push_back({judgement, kept});
}

void SmallTables::stage(const model::TrimTrial& trial) {
  if (trim_trials_.size() < kMostStaged) {
    trim_trials_.push_back(trial);
  }
}

// The latest of a phase stays.
void SmallTables::stage(const model::Phase& phase) {
  const auto same = std::find_if(phases_.begin(), phases_.end(), [&](const model::Phase& staged) {
    return staged.process == phase.process && staged.name == phase.name;
  });
  if (same != phases_.end()) {
    *same = phase;
  } else if (phases_.size() < kMostStaged) {
    phases_.push_back(phase);
  }
}

void SmallTables::stage(const model::PhaseVisit& visit) {
  constexpr std::uint64_t kMostVisits = 20'000;
  if (visits_seen_ < kMostVisits) {
    ++visits_seen_;
    visits_.push_back(visit);
  }
}

void SmallTables::stage_meta(std::string_view key, std::string_view value) {
  const auto same =
      std::find_if(meta_.begin(), meta_.end(), [&](const auto& staged) { return staged.first == key; });
  if (same != meta_.end()) {
    same->second = value;
  } else {
    meta_.emplace_back(key, value);
  }
}

bool SmallTables::empty() const {
  return processes_.empty() && sites_.empty() && events_.empty() && judgements_.empty() &&
         trim_trials_.empty() && phases_.empty() && visits_.empty() && meta_.empty();
}

void SmallTables::written() {
  processes_.clear();
  sites_.clear();
  events_.clear();
  judgements_.clear();
  trim_trials_.clear();
  phases_.clear();
  visits_.clear();
  meta_.clear();
}

int SmallTables::write() {
  int status = SQLITE_OK;
  for (std::size_t at = 0; at < processes_.size() && status == SQLITE_OK; ++at) {
    status = write(processes_[at]);
  }
  for (std::size_t at = 0; at < sites_.size() && status == SQLITE_OK; ++at) {
    status = write(sites_[at]);
  }
  for (std::size_t at = 0; at < events_.size() && status == SQLITE_OK; ++at) {
    status = write(events_[at]);
  }
  for (std::size_t at = 0; at < judgements_.size() && status == SQLITE_OK; ++at) {
    status = write(judgements_[at]);
  }
  for (std::size_t at = 0; at < trim_trials_.size() && status == SQLITE_OK; ++at) {
    status = write(trim_trials_[at]);
  }
  for (std::size_t at = 0; at < phases_.size() && status == SQLITE_OK; ++at) {
    status = write(phases_[at]);
  }
  for (std::size_t at = 0; at < visits_.size() && status == SQLITE_OK; ++at) {
    status = write(visits_[at]);
  }
  for (std::size_t at = 0; at < meta_.size() && status == SQLITE_OK; ++at) {
    status = write_meta(meta_[at].first, meta_[at].second);
  }
  return status;
}

int SmallTables::write(const model::ProcessInfo& process) {
  const auto id = static_cast<std::int64_t>(process.id);
  if (id > highest_process_) {
    highest_process_ = id;
    ++known_processes_;
  }
  const std::string command = base::printable(
      process.command, known_processes_ <= kWholeCommands ? kCommandBytes : kLaterCommandBytes);
  Statement& put = put_process_;
  put.bind(0, id);
  put.bind(1, process.pid);
  put.bind(2, process.ppid);
  put.bind(3, stored(process.start_ticks));
  put.bind(4, to_string(process.role));
  put.bind_null(5);
  if (process.index) {
    put.bind(5, std::int64_t{*process.index});
  }
  put.bind_null(6);
  if (process.continues) {
    put.bind(6, static_cast<std::int64_t>(*process.continues));
  }
  put.bind(7, std::string_view(command));
  bind_real(put, 8, process.started_s);
  bind_real(put, 9, process.ended_s);
  put.bind_null(10);
  if (process.exit_status) {
    put.bind(10, std::int64_t{*process.exit_status});
  }
  return put.run();
}

int SmallTables::write(const model::SiteInfo& site) {
  put_site_.bind(0, static_cast<std::int64_t>(site.id));
  put_site_.bind(1, static_cast<std::int64_t>(site.process));
  put_site_.bind(2, static_cast<std::int64_t>(site.cut ? 1 : 0));
  int status = put_site_.run();
  for (std::size_t depth = 0; depth < site.frames.size() && status == SQLITE_OK; ++depth) {
    const model::Frame& frame = site.frames[depth];
    put_frame_.bind(0, static_cast<std::int64_t>(site.id));
    put_frame_.bind(1, static_cast<std::int64_t>(depth));
    const std::string function = base::printable(frame.function, kNameBytes);
    const std::string file = base::printable(frame.file, kNameBytes);
    const std::string module = base::printable(frame.module, kNameBytes);
    put_frame_.bind(2, model::to_string(frame.language));
    put_frame_.bind(3, std::string_view(function));
    put_frame_.bind(4, std::string_view(file));
    put_frame_.bind(5, static_cast<std::int64_t>(frame.line));
    put_frame_.bind(6, std::string_view(module));
    status = put_frame_.run();
  }
  return status;
}

int SmallTables::write(const RecordedEvent& event) {
  const std::string text = base::printable(event.event.text, kTextBytes);
  bind_real(put_event_, 0, event.event.at_s);
  put_event_.bind(1, to_string(event.event.kind));
  put_event_.bind_null(2);
  if (event.process) {
    put_event_.bind(2, static_cast<std::int64_t>(*event.process));
  }
  put_event_.bind(3, std::string_view(text));
  return put_event_.run();
}

int SmallTables::write(const StagedJudgement& staged) {
  const model::Verdict& verdict = staged.judgement.verdict;
  const auto& forecast = staged.judgement.forecast;
  const std::string reason = base::printable(verdict.reason, kTextBytes);
  const std::string needs = base::printable(verdict.needs.value_or(""), kTextBytes);
  const std::string basis = base::printable(joined(verdict.basis), kTextBytes);
  Statement& put = put_judgement_;
  bind_real(put, 0, staged.judgement.at_s);
  put.bind(1, std::int64_t{staged.kept ? 1 : 0});
  put.bind(2, to_string(verdict.kind));
  bind_real(put, 3, verdict.confidence);
  put.bind(4, to_string(verdict.axis));
  put.bind(5, std::int64_t{verdict.counted ? 1 : 0});
  put.bind(6, stored(verdict.samples));
  const model::Rate no_rate{std::nan(""), std::nan(""), std::nan("")};
  const model::Rate& rate = verdict.rate ? *verdict.rate : no_rate;
  bind_real(put, 7, rate.bytes);
  bind_real(put, 8, rate.low);
  bind_real(put, 9, rate.high);
  put.bind(10, stored(verdict.floor.first_bytes));
  put.bind(11, stored(verdict.floor.last_bytes));
  const model::Mark mark = verdict.warmup_end.value_or(model::Mark{});
  bind_real(put, 12, mark.step);
  bind_real(put, 13, mark.at_s);
  bind_bytes(put, 14, verdict.plateau_bytes);
  bind_bytes(put, 15, verdict.spike_bytes);
  put.bind(16, std::string_view(reason));
  verdict.needs ? put.bind(17, std::string_view(needs)) : put.bind_null(17);
  verdict.lean ? put.bind(18, to_string(verdict.lean->kind)) : put.bind_null(18);
  bind_real(put, 19, verdict.lean ? verdict.lean->confidence : std::nan(""));
  put.bind(20, std::string_view(basis));
  forecast ? put.bind(21, to_string(forecast->limit)) : put.bind_null(21);
  bind_bytes(put, 22, forecast ? std::optional(forecast->limit_bytes) : std::nullopt);
  bind_range(put, 23, forecast ? forecast->step : std::nullopt);
  bind_range(put, 26, forecast ? forecast->seconds : std::nullopt);
  return put.run();
}

int SmallTables::write(const model::TrimTrial& trial) {
  Statement& put = put_trim_trial_;
  bind_real(put, 0, trial.at_s);
  put.bind(1, static_cast<std::int64_t>(trial.process));
  put.bind(2, to_string(trial.outcome));
  bind_bytes(put, 3, trial.rss_before_bytes);
  bind_bytes(put, 4, trial.rss_after_bytes);
  bind_real(put, 5, trial.trim_s);
  bind_real(put, 6, trial.inspect_s);
  bind_bytes(put, 7, trial.arena_bytes);
  bind_bytes(put, 8, trial.free_bytes);
  bind_bytes(put, 9, trial.mapped_bytes);
  return put.run();
}

int SmallTables::write(const model::PhaseVisit& visit) {
  const std::string name = base::printable(visit.name, kNameBytes);
  Statement& put = put_visit_;
  put.bind(0, static_cast<std::int64_t>(visit.process));
  put.bind(1, name);
  put.bind(2, visit.from_s);
  put.bind(3, visit.to_s);
  return put.run();
}

int SmallTables::write(const model::Phase& phase) {
  const std::string name = base::printable(phase.name, kNameBytes);
  Statement& put = put_phase_;
  put.bind(0, static_cast<std::int64_t>(phase.process));
  put.bind(1, std::string_view(name));
  put.bind(2, stored(phase.count));
  put.bind(3, stored(phase.kept_bytes));
  put.bind(4, stored(phase.peak_bytes));
  bind_real(put, 5, phase.took_s);
  return put.run();
}

int SmallTables::write_meta(std::string_view key, std::string_view value) {
  put_meta_.bind(0, key);
  put_meta_.bind(1, value);
  return put_meta_.run();
}

int SmallTables::write(const Outage& outage) {
  // A disk that is full every other minute must not fill it with outages.
  if (outages_ >= kMostOutages) {
    extend_outage_.bind(0, outage.to_s);
    extend_outage_.bind(1, stored(outage.ticks));
    extend_outage_.bind(2, std::string_view(outage.why));
    return extend_outage_.run();
  }
  put_outage_.bind(0, outage.from_s);
  put_outage_.bind(1, outage.to_s);
  put_outage_.bind(2, stored(outage.ticks));
  put_outage_.bind(3, std::string_view(outage.why));
  const int status = put_outage_.run();
  outages_ += status == SQLITE_OK ? 1U : 0U;
  return status;
}

int SmallTables::thin(Database& database, double now_s) {
  remove_judgements_.bind(0, now_s - kJudgementAgeSeconds);
  if (const int status = remove_judgements_.run(); status != SQLITE_OK) {
    return status;
  }
  if (known_processes_ <= kMostProcesses) {
    return SQLITE_OK;
  }
  // The shortest-lived go first; those of an hour only when nothing else is left.
  for (const double life_s : {60.0, 3600.0, 1e18}) {
    remove_processes_.bind(0, life_s);
    remove_processes_.bind(1, std::int64_t{1000});
    if (const int status = remove_processes_.run(); status != SQLITE_OK) {
      return status;
    }
    const auto removed = static_cast<std::uint64_t>(sqlite3_changes(database.handle()));
    if (removed > 0) {
      known_processes_ -= std::min(known_processes_, removed);
      forgotten_processes_ += removed;
      return write_meta("forgotten_processes", std::to_string(forgotten_processes_));
    }
  }
  return SQLITE_OK;
}

}  // namespace lowtide::record

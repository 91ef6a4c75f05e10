// How a tick gets into the file: it is staged by add(), and commit() writes all
// that is staged as one transaction. Whatever goes wrong in there has the same
// end: roll back, drop the staged readings and count them, keep the rest
// (processes, events, ended stretches) for the next time.
#include "record/writer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "record/checkpointer.h"
#include "record/new_file.h"
#include "record/sqlite.h"
#include "record/tables/retention.h"
#include "record/tables/sample_tables.h"
#include "record/tables/staged_tables.h"

namespace lowtide::record {
namespace {

// Pages of log at which it is moved over, and at which that no longer waits for
// the thread: 2 and 8 MB.
constexpr int kCheckpointPages = 512;
constexpr int kUrgentPages = 4 * kCheckpointPages;
constexpr std::int64_t kSweepRows = 1024;
constexpr double kFirstRetrySeconds = 5;
constexpr double kLastRetrySeconds = 60;

int note_log_size(void* pages, sqlite3* /*database*/, const char* /*name*/, int size) {
  *static_cast<int*>(pages) = size;
  return SQLITE_OK;
}

}  // namespace

struct Writer::State {
  std::string path;
  int log_pages = 0;  // outlives the database, whose hook writes here
  Database database;
  Statement begin;
  Statement end;
  Statement undo;
  Retention retention;
  SampleTables samples;
  StagedTables staged;
  std::unique_ptr<Checkpointer> checkpointer;

  double now_s = 0;
  std::optional<base::Error> failure;
  std::uint64_t lost_ticks = 0;
  std::string why_lost;
  Outage outage;  // the one that is going on; .ticks == 0: none
  double retry_at_s = 0;
  double retry_after_s = kFirstRetrySeconds;

  base::Result<bool> prepare();
  int write();
  int tidy();
  void commit(bool last_chance);
  void lose(int status);
  void checkpoint();
  void close();
};

base::Result<bool> Writer::State::prepare() {
  std::optional<base::Error> first_error;
  const auto make = [&](auto& part, auto made) {
    if (made.ok()) {
      part = std::move(made).value();
    } else if (!first_error) {
      first_error = std::move(made).error();
    }
  };
  make(begin, database.prepare("BEGIN IMMEDIATE"));
  make(end, database.prepare("COMMIT"));
  make(undo, database.prepare("ROLLBACK"));
  make(retention, Retention::create(database));
  make(samples, SampleTables::create(database));
  make(staged, StagedTables::create(database));
  if (first_error) {
    return *std::move(first_error);
  }
  return true;
}

int Writer::State::tidy() {
  if (samples.has_rolled()) {
    int status = retention.move_lines(now_s);
    status = status == SQLITE_OK ? staged.thin(database, now_s) : status;
    if (status != SQLITE_OK) {
      return status;
    }
  }
  if (samples.has_rolled() || retention.has_backlog()) {
    return retention.sweep(database, std::max(kSweepRows, 2 * static_cast<std::int64_t>(samples.rows())));
  }
  return SQLITE_OK;
}

int Writer::State::write() {
  int status = begin.run();
  status = status == SQLITE_OK ? samples.write() : status;
  status = status == SQLITE_OK ? staged.write() : status;
  status = status == SQLITE_OK ? tidy() : status;
  if (status == SQLITE_OK && outage.ticks > 0) {
    status = staged.write(outage);
  }
  return status == SQLITE_OK ? end.run() : status;
}

void Writer::State::commit(bool last_chance) {
  if (!database || (samples.ticks() == 0 && staged.empty() && !last_chance)) {
    return;
  }
  if (failure && now_s < retry_at_s && !last_chance) {
    lose(SQLITE_OK);
    return;
  }
  const int status = write();
  if (status != SQLITE_OK) {
    lose(status);
    return;
  }
  failure.reset();
  outage = {};
  retry_after_s = kFirstRetrySeconds;
  samples.written();
  staged.written();
  checkpoint();
}

// `status`: what has just failed; SQLITE_OK when it was not even tried.
void Writer::State::lose(int status) {
  if (status != SQLITE_OK) {
    failure = database.error().within("write " + path);
    if (database.in_transaction()) {
      static_cast<void>(undo.run());
    }
    retention.doubt();
    samples.forget_roll();
    // Somebody else writes to the file: that is over soon. All else may last.
    const bool busy = (status & 0xff) == SQLITE_BUSY;
    retry_at_s = now_s + (busy ? 0 : retry_after_s);
    retry_after_s = busy ? retry_after_s : std::min(2 * retry_after_s, kLastRetrySeconds);
  }
  if (samples.ticks() > 0) {
    if (outage.ticks == 0) {
      outage.from_s = samples.first_s();
    }
    outage.to_s = now_s;
    outage.ticks += samples.ticks();
    outage.why = failure->message;
    why_lost = failure->message;
    lost_ticks += samples.ticks();
  }
  samples.drop();
}

void Writer::State::checkpoint() {
  if (log_pages >= kCheckpointPages && checkpointer) {
    checkpointer->poke();
  }
  if (log_pages >= kUrgentPages || (log_pages >= kCheckpointPages && !checkpointer)) {
    sqlite3_wal_checkpoint_v2(database.handle(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  }
}

void Writer::State::close() {
  if (!database) {
    return;
  }
  staged.stage_meta(meta_key(Meta::Closed), meta_text(true));
  commit(true);
  checkpointer.reset();
  if (failure) {
    // The log is a part of what fills the disk. Once it is moved into the file,
    // whose free pages it may find there, the last words have room.
    static_cast<void>(database.execute("PRAGMA wal_checkpoint(TRUNCATE)"));
    commit(true);
  }
  // One plain file is left, that opens in a read-only folder too. Where a reader
  // is in the way it stays as it is, which does no harm.
  static_cast<void>(database.execute("PRAGMA synchronous = NORMAL; PRAGMA journal_mode = DELETE"));
  begin = {};
  end = {};
  undo = {};
  retention = {};
  samples = {};
  staged = {};
  database = {};
}

base::Result<Writer> Writer::create(const std::string& path, const Header& header) {
  auto made = make_file(path);
  if (!made.ok()) {
    return std::move(made).error().within("create " + path);
  }
  auto state = std::make_unique<State>();
  state->path = path;
  state->database = std::move(made.value().database);
  const auto give_up = [&](base::Error error) {
    state.reset();
    remove_files(path);
    return std::move(error).within("create " + path);
  };
  if (auto prepared = state->prepare(); !prepared.ok()) {
    return give_up(std::move(prepared).error());
  }
  state->staged.stage(header);
  state->commit(true);
  if (state->failure) {
    return give_up(base::Error(*state->failure));
  }
  if (made.value().has_log) {
    sqlite3_wal_hook(state->database.handle(), note_log_size, &state->log_pages);
    state->checkpointer = Checkpointer::start(path);
  }
  return Writer(std::move(state));
}

Writer::Writer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Writer::Writer(Writer&& other) noexcept = default;
Writer& Writer::operator=(Writer&& other) noexcept = default;
Writer::~Writer() = default;

void Writer::begin_process(const model::ProcessInfo& process) {
  state_->staged.stage(process);
}

void Writer::update_process(const model::ProcessInfo& process) {
  state_->staged.stage(process);
}

void Writer::update_shared_group(const model::SharedGroup& group) {
  state_->staged.stage(group);
}

void Writer::update_phase(const model::Phase& phase) {
  state_->staged.stage(phase);
}

void Writer::add_phase_visit(const model::PhaseVisit& visit) {
  state_->staged.stage(visit);
}

void Writer::add(const model::Tick& tick) {
  State& state = *state_;
  if (!state.database || !std::isfinite(tick.at_s)) {
    ++state.lost_ticks;
    return;
  }
  state.now_s = tick.at_s;
  state.samples.stage(tick, !state.failure);
}

void Writer::begin_site(const model::SiteInfo& site) {
  state_->staged.stage(site);
}

void Writer::add_event(const model::Event& event, std::optional<model::ProcessId> process) {
  state_->staged.stage(event, process);
}

void Writer::add_judgement(const model::Judgement& judgement) {
  state_->staged.stage(judgement);
}

void Writer::add_trim_trial(const model::TrimTrial& trial) {
  state_->staged.stage(trial);
}

void Writer::add_source(model::SourceFile source) {
  state_->staged.stage(std::move(source));
}

void Writer::add_library(model::LibraryVersion library) {
  state_->staged.stage(std::move(library));
}

void Writer::add_snapshot(model::ProcessId process, const model::Snapshot& snapshot) {
  state_->staged.stage(process, snapshot);
}

void Writer::stage_meta(const std::string& key, const std::string& value) {
  state_->staged.stage_meta(key, value);
}

void Writer::commit() {
  state_->commit(false);
}

void Writer::close() {
  state_->close();
}

const base::Error* Writer::failure() const {
  return state_->failure ? &*state_->failure : nullptr;
}

std::uint64_t Writer::lost_ticks() const {
  return state_->lost_ticks;
}

const std::string& Writer::why_lost() const {
  return state_->why_lost;
}

const std::string& Writer::path() const {
  return state_->path;
}

}  // namespace lowtide::record

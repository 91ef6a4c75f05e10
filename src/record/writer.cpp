// How a tick gets into the file: it is staged by add(), and commit() writes all
// that is staged as one transaction. Whatever goes wrong in there has the same
// end: roll back, drop the staged readings and count them, keep the rest
// (processes, events, ended stretches) for the next time.
#include "record/writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <system_error>
#include <utility>
#include <vector>

#include "base/text.h"
#include "record/checkpointer.h"
#include "record/retention.h"
#include "record/rows.h"
#include "record/schema.h"
#include "record/small_tables.h"
#include "record/snapshot_tables.h"
#include "record/sqlite.h"
#include "record/thinner.h"

namespace lowtide::record {
namespace {

constexpr int kPageBytes = 4096;
// Pages of log at which it is moved over, and at which that no longer waits for
// the thread: 2 and 8 MB.
constexpr int kCheckpointPages = 2 * 1024 * 1024 / kPageBytes;
constexpr int kUrgentPages = 4 * kCheckpointPages;
constexpr std::int64_t kSweepRows = 1024;
constexpr double kFirstRetrySeconds = 5;
constexpr double kLastRetrySeconds = 60;
// Stretches that wait for the disk. No more come while it fails.
constexpr std::size_t kMostThinRows = 100'000;

struct StagedRow {
  SeriesKind kind = SeriesKind::Target;
  Row row;
};

int note_log_size(void* pages, sqlite3* /*database*/, const char* /*name*/, int size) {
  *static_cast<int*>(pages) = size;
  return SQLITE_OK;
}

void bind_row(Statement& insert, const StagedRow& staged, std::size_t level) {
  const KindSpec& spec = spec_of(staged.kind);
  const Row& row = staged.row;
  int at = 0;
  insert.bind(at++, row.at_s);
  if (level > 0) {
    insert.bind(at++, row.span_s);
    insert.bind(at++, row.count);
  }
  insert.bind(at++, row.step);  // SQLite makes NULL of NaN
  for (std::size_t key = 0; key < keys_of(spec).size(); ++key) {
    insert.bind(at++, row.keys[key]);
  }
  insert.bind(at++, row.low);
  if (level > 0) {
    insert.bind(at++, static_cast<std::int64_t>(std::llround(std::min(row.mean, 9.2e18))));
    insert.bind(at++, row.high);
  }
  const auto columns = columns_of(spec);
  for (std::size_t column = 0; column < columns.size(); ++column) {
    if (row.others[column] == kAbsent) {
      insert.bind_null(at++);
    } else if (columns[column].thousandths) {
      insert.bind(at++, static_cast<double>(row.others[column]) / 1000);
    } else {
      insert.bind(at++, row.others[column]);
    }
  }
}

}  // namespace

struct Writer::State {
  std::string path;
  int log_pages = 0;  // outlives the database, whose hook writes here
  Database database;
  std::array<std::array<Statement, kLevels>, kKinds> inserts;
  Statement begin;
  Statement end;
  Statement undo;
  Retention retention;
  SmallTables small;
  SnapshotTables snapshots;
  Thinner thinner;
  std::unique_ptr<Checkpointer> checkpointer;

  std::vector<StagedRow> staged;
  std::vector<ThinRow> thin_rows;
  std::uint64_t staged_ticks = 0;
  bool rolled = false;
  double now_s = 0;

  std::optional<base::Error> failure;
  std::uint64_t lost_ticks = 0;
  Outage outage;  // the one that is going on; .ticks == 0: none
  double retry_at_s = 0;
  double retry_after_s = kFirstRetrySeconds;

  base::Result<bool> prepare();
  void stage(SeriesKind kind, Row row, const model::Tick& tick);
  int write();
  int write_rows();
  int tidy();
  void commit(bool last_chance);
  void lose(int status);
  void checkpoint();
  void close();
};

base::Result<bool> Writer::State::prepare() {
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    for (std::size_t level = 0; level < kLevels; ++level) {
      auto prepared = database.prepare(insert_sql(static_cast<SeriesKind>(kind), level));
      if (!prepared.ok()) {
        return std::move(prepared).error();
      }
      inserts[kind][level] = std::move(prepared).value();
    }
  }
  for (const auto& [into, sql] :
       {std::pair{&begin, "BEGIN IMMEDIATE"}, {&end, "COMMIT"}, {&undo, "ROLLBACK"}}) {
    auto prepared = database.prepare(sql);
    if (!prepared.ok()) {
      return std::move(prepared).error();
    }
    *into = std::move(prepared).value();
  }
  auto made_retention = Retention::create(database);
  if (!made_retention.ok()) {
    return std::move(made_retention).error();
  }
  retention = std::move(made_retention).value();
  auto made_small = SmallTables::create(database);
  if (!made_small.ok()) {
    return std::move(made_small).error();
  }
  small = std::move(made_small).value();
  auto made_snapshots = SnapshotTables::create(database);
  if (!made_snapshots.ok()) {
    return std::move(made_snapshots).error();
  }
  snapshots = std::move(made_snapshots).value();
  return true;
}

void Writer::State::stage(SeriesKind kind, Row row, const model::Tick& tick) {
  row.at_s = tick.at_s;
  row.step = std::isfinite(tick.step) ? tick.step : model::kUnknown;
  thinner.add(kind, row);
  staged.push_back({kind, row});
}

int Writer::State::write_rows() {
  for (const StagedRow& each : staged) {
    Statement& insert = inserts[static_cast<std::size_t>(each.kind)][0];
    bind_row(insert, each, 0);
    if (const int status = insert.run(); status != SQLITE_OK) {
      return status;
    }
  }
  for (const ThinRow& each : thin_rows) {
    Statement& insert = inserts[static_cast<std::size_t>(each.kind)][each.level];
    bind_row(insert, {each.kind, each.row}, each.level);
    if (const int status = insert.run(); status != SQLITE_OK) {
      return status;
    }
  }
  return SQLITE_OK;
}

int Writer::State::tidy() {
  if (rolled) {
    int status = retention.move_lines(now_s);
    status = status == SQLITE_OK ? small.thin(database, now_s) : status;
    if (status != SQLITE_OK) {
      return status;
    }
  }
  if (rolled || retention.has_backlog()) {
    return retention.sweep(database, std::max(kSweepRows, 2 * static_cast<std::int64_t>(staged.size())));
  }
  return SQLITE_OK;
}

int Writer::State::write() {
  int status = begin.run();
  status = status == SQLITE_OK ? write_rows() : status;
  status = status == SQLITE_OK ? small.write() : status;
  status = status == SQLITE_OK ? snapshots.write() : status;
  status = status == SQLITE_OK ? tidy() : status;
  if (status == SQLITE_OK && outage.ticks > 0) {
    status = small.write(outage);
  }
  return status == SQLITE_OK ? end.run() : status;
}

void Writer::State::commit(bool last_chance) {
  if (!database || (staged_ticks == 0 && small.empty() && snapshots.empty() && !last_chance)) {
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
  small.written();
  snapshots.written();
  thin_rows.clear();
  staged.clear();
  staged_ticks = 0;
  rolled = false;
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
    rolled = false;  // by the next success the open stretches reach further than the tables
    // Somebody else writes to the file: that is over soon. All else may last.
    const bool busy = (status & 0xff) == SQLITE_BUSY;
    retry_at_s = now_s + (busy ? 0 : retry_after_s);
    retry_after_s = busy ? retry_after_s : std::min(2 * retry_after_s, kLastRetrySeconds);
  }
  if (staged_ticks > 0) {
    if (outage.ticks == 0) {
      outage.from_s = staged.front().row.at_s;
    }
    outage.to_s = now_s;
    outage.ticks += staged_ticks;
    outage.why = failure->message;
    lost_ticks += staged_ticks;
  }
  staged.clear();
  staged_ticks = 0;
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
  small.stage_meta("closed", "1");
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
  inserts = {};
  begin = {};
  end = {};
  undo = {};
  retention = {};
  small = {};
  snapshots = {};
  database = {};
}

namespace {

constexpr const char* kCompanions[] = {"", "-wal", "-shm", "-journal"};

void remove_files(const std::string& path) {
  for (const char* suffix : kCompanions) {
    ::unlink((path + suffix).c_str());
  }
}

base::Result<bool> make_empty_file(const std::string& path) {
  const int made = ::open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
  if (made < 0) {
    const int cause = errno;
    const auto code = cause == EACCES || cause == EPERM || cause == EROFS || cause == EEXIST
                          ? base::ErrorCode::Denied
                      : cause == ENOENT ? base::ErrorCode::Gone
                                        : base::ErrorCode::Io;
    return base::Error{code, std::generic_category().message(cause)};
  }
  ::close(made);
  return true;
}

// What holds for a connection and not for the file. Commits never wait for the
// disk (synchronous = OFF): a kill of the monitor, of the job or of the cgroup
// leaves the page cache as it is. Against a power cut there is the checkpointer,
// which syncs the log before it is moved and the database after. Where there
// can be no log (no shared mappings), SQLite stays with its rollback journal: as
// safe, only not readable meanwhile. The value says whether there is a log.
base::Result<bool> set_up(Database& database) {
  sqlite3_busy_timeout(database.handle(), 5);
  if (database.execute("PRAGMA cache_size = -1024; PRAGMA temp_store = MEMORY; PRAGMA synchronous = OFF") !=
      SQLITE_OK) {
    return database.error();
  }
  const auto mode = database.ask("PRAGMA journal_mode = WAL");
  if (!mode.ok()) {
    return mode.error();
  }
  static_cast<void>(database.execute("PRAGMA journal_size_limit = 4194304"));
  return mode.value() == "wal";
}

// The tables are made in a file beside the recording, which is then moved into
// its place: so a kill meanwhile leaves neither half a schema nor a rollback
// journal, which a client that only reads could not undo.
base::Result<bool> make_tables(const std::string& path) {
  const std::string part = path + ".part";
  remove_files(part);
  if (auto made = make_empty_file(part); !made.ok()) {
    return std::move(made).error();
  }
  const auto give_up = [&](base::Error error) {
    remove_files(part);
    return error;
  };
  {
    auto opened = Database::open(part, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX);
    if (!opened.ok()) {
      return give_up(std::move(opened).error());
    }
    // Nobody else sees this file, so it needs no journal: on a disk that is
    // nearly full that would be as much again.
    const std::string tables = "PRAGMA page_size = " + std::to_string(kPageBytes) +
                               "; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; BEGIN;" +
                               schema_sql() + "COMMIT; PRAGMA journal_mode = WAL";
    if (opened.value().execute(tables.c_str()) != SQLITE_OK) {
      return give_up(opened.value().error());
    }
  }
  if (std::rename(part.c_str(), path.c_str()) != 0) {
    return give_up({base::ErrorCode::Io, std::generic_category().message(errno)});
  }
  return true;
}

}  // namespace

base::Result<Writer> Writer::create(const std::string& path, const Header& header) {
  // The name is taken first, so that nobody else's file is moved over.
  if (auto made = make_empty_file(path); !made.ok()) {
    return std::move(made).error().within("create " + path);
  }
  auto state = std::make_unique<State>();
  state->path = path;
  const auto give_up = [&](base::Error error) {
    state.reset();
    remove_files(path);
    return std::move(error).within("create " + path);
  };
  if (auto made = make_tables(path); !made.ok()) {
    return give_up(std::move(made).error());
  }
  auto opened = Database::open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX);
  if (!opened.ok()) {
    return give_up(std::move(opened).error());
  }
  state->database = std::move(opened).value();
  auto logged = set_up(state->database);
  if (!logged.ok()) {
    return give_up(std::move(logged).error());
  }
  if (auto prepared = state->prepare(); !prepared.ok()) {
    return give_up(std::move(prepared).error());
  }
  state->small.stage(header);
  state->commit(true);
  if (state->failure) {
    return give_up(base::Error(*state->failure));
  }
  if (logged.value()) {
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
  state_->small.stage(process);
}

void Writer::update_process(const model::ProcessInfo& process) {
  state_->small.stage(process);
}

void Writer::add(const model::Tick& tick) {
  State& state = *state_;
  if (!state.database || !std::isfinite(tick.at_s)) {
    ++state.lost_ticks;
    return;
  }
  state.now_s = tick.at_s;
  // While nothing can be written the stretches stay open and grow: so the lowest
  // and highest of the outage are not lost, and memory stays bounded.
  if (!state.failure && state.thin_rows.size() < kMostThinRows) {
    state.rolled = state.thinner.roll(tick.at_s, state.thin_rows) || state.rolled;
  }
  state.stage(SeriesKind::Target, row_of(tick.target), tick);
  for (const auto& reading : tick.processes) {
    state.stage(SeriesKind::Process, row_of(reading), tick);
  }
  if (tick.cgroup) {
    state.stage(SeriesKind::Cgroup, row_of(*tick.cgroup), tick);
  }
  if (tick.host) {
    state.stage(SeriesKind::Host, row_of(*tick.host), tick);
  }
  for (const auto& reading : tick.gpus) {
    state.stage(SeriesKind::Gpu, row_of(reading), tick);
  }
  for (const auto& reading : tick.gpu_processes) {
    state.stage(SeriesKind::GpuProcess, row_of(reading), tick);
  }
  for (const auto& reading : tick.heaps) {
    state.stage(SeriesKind::Heap, row_of(reading), tick);
  }
  for (const auto& reading : tick.sites) {
    state.stage(SeriesKind::Site, row_of(reading), tick);
  }
  ++state.staged_ticks;
}

void Writer::begin_site(const model::SiteInfo& site) {
  state_->small.stage(site);
}

void Writer::add_event(const model::Event& event, std::optional<model::ProcessId> process) {
  state_->small.stage(event, process);
}

void Writer::add_judgement(const model::Judgement& judgement) {
  state_->small.stage(judgement);
}

void Writer::add_trim_trial(const model::TrimTrial& trial) {
  state_->small.stage(trial);
}

void Writer::add_snapshot(model::ProcessId process, const model::Snapshot& snapshot) {
  state_->snapshots.stage(process, snapshot);
}

void Writer::set_meta(std::string_view key, std::string_view value) {
  state_->small.stage_meta(key, base::printable(value, 65'536));
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

const std::string& Writer::path() const {
  return state_->path;
}

}  // namespace lowtide::record

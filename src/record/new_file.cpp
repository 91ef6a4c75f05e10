#include "record/new_file.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <system_error>
#include <utility>

#include "record/tables/schema.h"

namespace lowtide::record {
namespace {

// The tables and an hour of a small job. On less a recording would stop within minutes.
constexpr std::uint64_t kLeastRoomBytes = 2U << 20U;
constexpr const char* kCompanions[] = {"", "-wal", "-shm", "-journal"};

// Of the disk that the file lies on; what is not known is taken to be enough.
bool has_room(const std::string& path) {
  struct statvfs disk {};
  return ::statvfs(path.c_str(), &disk) != 0 ||
         std::uint64_t{disk.f_bavail} * disk.f_frsize >= kLeastRoomBytes;
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
    const std::string tables = tables_sql() + "; PRAGMA journal_mode = WAL";
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

// Nobody else sees the file meanwhile, so it needs no journal: on a disk that is nearly full that would be as
// much again.
std::string tables_sql() {
  return "PRAGMA page_size = " + std::to_string(kPageBytes) +
         "; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; BEGIN;" + schema_sql() + "COMMIT";
}

void remove_files(const std::string& path) {
  for (const char* suffix : kCompanions) {
    ::unlink((path + suffix).c_str());
  }
}

base::Result<NewFile> make_file(const std::string& path) {
  // The name is taken first, so that nobody else's file is moved over.
  if (auto made = make_empty_file(path); !made.ok()) {
    return std::move(made).error();
  }
  const auto give_up = [&](base::Error error) {
    remove_files(path);
    return error;
  };
  if (!has_room(path)) {
    return give_up({base::ErrorCode::Io, "the disk is full: less than 2 MB is left"});
  }
  if (auto made = make_tables(path); !made.ok()) {
    return give_up(std::move(made).error());
  }
  auto opened = Database::open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX);
  if (!opened.ok()) {
    return give_up(std::move(opened).error());
  }
  auto logged = set_up(opened.value());
  if (!logged.ok()) {
    opened.value() = {};
    return give_up(std::move(logged).error());
  }
  return NewFile{std::move(opened).value(), logged.value()};
}

}  // namespace lowtide::record

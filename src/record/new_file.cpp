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

base::Error refusal(int cause) {
  const auto code = cause == EACCES || cause == EPERM || cause == EROFS || cause == EEXIST
                        ? base::ErrorCode::Denied
                    : cause == ENOENT ? base::ErrorCode::Gone
                                      : base::ErrorCode::Io;
  return {code, std::generic_category().message(cause)};
}

// 0, or what is in the way.
int make_empty_file(const std::string& path) {
  const int made = ::open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
  if (made < 0) return errno;
  ::close(made);
  return 0;
}

// Gives the file its name, but never that of another file; 0, or what is in the way. Its tables are in it by
// then: SQLite removes the log of an empty file. Somebody who had opened such a file under this name, only to
// read, would remove the log of the recording that has taken its place, and with it all that is written.
int move_to_new_name(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // A file system that cannot do this, as NFS.
  if (::link(from.c_str(), to.c_str()) == 0) {
    ::unlink(from.c_str());
    return 0;
  }
  if (errno != EPERM && errno != ENOSYS && errno != EOPNOTSUPP) return errno;
  // One without hard links too.
  if (const int cause = make_empty_file(to); cause != 0) return cause;
  return std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
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

base::Result<bool> make_tables(const std::string& path) {
  auto opened = Database::open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX);
  if (!opened.ok()) return std::move(opened).error();
  const std::string tables = tables_sql() + "; PRAGMA journal_mode = WAL";
  if (opened.value().execute(tables.c_str()) != SQLITE_OK) return opened.value().error();
  return true;
}

// In a file beside the recording, which is then moved into its place: so a kill meanwhile leaves neither half
// a schema nor a rollback journal, which a client that only reads could not undo.
base::Result<bool> make_file_with_tables(const std::string& path) {
  const std::string part = path + ".part" + std::to_string(::getpid());
  remove_files(part);
  if (const int cause = make_empty_file(part); cause != 0) return refusal(cause);
  const auto give_up = [&](base::Error error) {
    remove_files(part);
    return error;
  };
  if (!has_room(part)) return give_up({base::ErrorCode::Io, "the disk is full: less than 2 MB is left"});
  if (auto made = make_tables(part); !made.ok()) return give_up(std::move(made).error());
  if (const int cause = move_to_new_name(part, path); cause != 0) return give_up(refusal(cause));
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
  if (auto made = make_file_with_tables(path); !made.ok()) return std::move(made).error();
  const auto give_up = [&](base::Error error) {
    remove_files(path);
    return error;
  };
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

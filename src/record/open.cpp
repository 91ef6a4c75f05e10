// A recording in WAL mode is up to three files, and the one named may be alone,
// in a folder where nothing can be made, cut short by a full disk, or no
// recording at all. So the first 100 bytes are read by hand, for answers in our
// own words, and then SQLite is asked in four ways, each weaker than the one before:
//
//   1. as it should be: with the log, and with the writer's locks;
//   2. immutable: the file alone. For a read-only folder; the log is not seen;
//   3. immutable and with the damage tolerated: a file that is shorter than it
//      says it is would otherwise be refused as a whole;
//   4. in memory, with the tables put back whose first pages are missing (record/restore.h).
#include "record/open.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "record/restore.h"
#include "record/tables/schema.h"

namespace lowtide::record {
namespace {

constexpr std::size_t kHeaderBytes = 100;
constexpr std::string_view kMagic("SQLite format 3\0", 16);

struct FileHead {
  std::uint64_t bytes = 0;
  std::uint64_t claimed_bytes = 0;  // 0: does not say
  std::uint32_t application_id = 0;
  std::uint32_t version = 0;
};

std::uint32_t big_endian(const unsigned char* bytes, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t at = 0; at < size; ++at) {
    value = value << 8U | bytes[at];
  }
  return value;
}

base::Error system_error(const std::string& path, int cause) {
  const auto code = cause == ENOENT || cause == ENOTDIR ? base::ErrorCode::Gone
                    : cause == EACCES || cause == EPERM ? base::ErrorCode::Denied
                                                        : base::ErrorCode::Io;
  return {code, path + ": " + std::generic_category().message(cause)};
}

base::Error malformed(const std::string& path, const char* what) {
  return {base::ErrorCode::Malformed, path + " " + what};
}

// Through SQLite's own file: were the recording being written by this process,
// closing another descriptor of it would drop the locks of the writer (POSIX).
base::Result<std::array<unsigned char, kHeaderBytes>> read_start(const std::string& path) {
  auto opened = Database::open(file_uri(path, "mode=ro"), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
  if (!opened.ok()) {
    return std::move(opened).error().within(path);
  }
  sqlite3_file* file = nullptr;
  sqlite3_file_control(opened.value().handle(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
  std::array<unsigned char, kHeaderBytes> bytes{};
  if (file == nullptr || file->pMethods == nullptr) {
    return base::Error{base::ErrorCode::Io, path + " cannot be opened"};
  }
  const int status = file->pMethods->xRead(file, bytes.data(), static_cast<int>(bytes.size()), 0);
  if (status != SQLITE_OK && status != SQLITE_IOERR_SHORT_READ) {  // what is short is filled with zeros
    return base::Error{base::ErrorCode::Io, path + " cannot be read: " + sqlite3_errstr(status)};
  }
  return bytes;
}

base::Result<FileHead> read_head(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    return system_error(path, errno);
  }
  if (S_ISDIR(status.st_mode)) {
    return malformed(path, "is a directory");
  }
  if (!S_ISREG(status.st_mode)) {
    return malformed(path, "is not a regular file");
  }
  if (::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) != 0) {
    return system_error(path, errno);
  }
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size == 0) {
    return malformed(path, "is empty");
  }
  const auto read = read_start(path);
  if (!read.ok()) {
    return read.error();
  }
  const auto& bytes = read.value();
  const std::string_view start(reinterpret_cast<const char*>(bytes.data()), kMagic.size());
  if (start.substr(0, size) != kMagic.substr(0, size)) {
    return malformed(path, "is not a lowtide recording");
  }
  if (size < kHeaderBytes) {
    return malformed(path, "is truncated: its header is incomplete");
  }
  const std::uint32_t page = big_endian(&bytes[16], 2);
  const std::uint64_t page_bytes = page == 1 ? 65'536U : page;
  return FileHead{.bytes = size,
                  .claimed_bytes = page_bytes * big_endian(&bytes[28], 4),
                  .application_id = big_endian(&bytes[68], 4),
                  .version = big_endian(&bytes[60], 4)};
}

std::optional<base::Error> check_head(const std::string& path, const FileHead& head) {
  if (head.application_id != kApplicationId) {
    return malformed(path, head.application_id == 0 && head.claimed_bytes == 0
                               ? "is incomplete: lowtide ended while it created the file"
                               : "is an SQLite database, but not a lowtide recording");
  }
  if (head.version > static_cast<std::uint32_t>(kSchemaVersion)) {
    return base::Error{base::ErrorCode::Unsupported,
                       path + " was written by a newer lowtide (schema " + std::to_string(head.version) +
                           ", this lowtide reads up to " + std::to_string(kSchemaVersion) + ")"};
  }
  if (head.version == 0) {
    return malformed(path, "has no schema version");
  }
  return std::nullopt;
}

// Asks something, because SQLite looks at the file only then.
base::Result<Database> set_up(Database database, bool tolerant) {
  sqlite3* handle = database.handle();
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 1'000'000);
  sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, 10'000);
  sqlite3_limit(handle, SQLITE_LIMIT_COLUMN, 200);
  sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_busy_timeout(handle, 1000);
  // At the first statement SQLite parses the whole schema and keeps it in memory: a file may declare a
  // million tables. The schema of a recording takes a few hundred steps of its virtual machine.
  constexpr int kMostSteps = 20'000;
  sqlite3_progress_handler(
      handle, kMostSteps, [](void*) { return 1; }, nullptr);
  static_cast<void>(database.execute("PRAGMA cache_size = -1024; PRAGMA temp_store = MEMORY"));
  if (tolerant) {
    sqlite3_db_config(handle, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, nullptr);
  }
  if (auto asked = database.ask("SELECT count(*) FROM sqlite_master"); !asked.ok()) {
    return std::move(asked).error();
  }
  sqlite3_progress_handler(handle, 0, nullptr, nullptr);
  return database;
}

base::Result<Database> try_open(const std::string& path, const char* parameters, bool tolerant) {
  auto opened = Database::open(file_uri(path, parameters), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
  return opened.ok() ? set_up(std::move(opened).value(), tolerant) : std::move(opened);
}

base::Result<Database> restore(const std::string& path) {
  auto restored = restore_tables(path);
  return restored.ok() ? set_up(std::move(restored).value(), true) : std::move(restored);
}

std::uint64_t size_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

}  // namespace

base::Result<OpenedFile> open_recording(const std::string& path) {
  auto read = read_head(path);
  if (!read.ok()) {
    return std::move(read).error();
  }
  const FileHead& head = read.value();
  if (auto refused = check_head(path, head)) {
    return *std::move(refused);
  }
  OpenedFile opened;
  const std::uint64_t log_bytes = size_of(path + "-wal");
  auto database = try_open(path, "mode=ro", false);
  if (database.ok()) {
    opened.database = std::move(database).value();
    return opened;
  }
  const base::Error first = database.error();
  if (first.code != base::ErrorCode::Malformed) {
    database = try_open(path, "mode=ro&immutable=1", false);
    if (database.ok() && log_bytes > 0) {
      opened.warnings.push_back("the end of the run may be missing: " + std::to_string(log_bytes) +
                                " bytes in " + path + "-wal cannot be read here (" + first.message +
                                "); copy both files to a writable folder");
    }
  }
  if (!database.ok()) {
    database = try_open(path, "mode=ro&immutable=1", true);
    if (!database.ok()) {
      database = restore(path);
    }
    if (!database.ok()) {
      return base::Error{first.code, path + " cannot be read: " + first.message};
    }
    opened.warnings.push_back(path + " is damaged (" + first.message + "); the readable part is used");
    if (head.claimed_bytes > head.bytes) {
      opened.warnings.push_back(path + " is truncated: " + std::to_string(head.bytes) + " of " +
                                std::to_string(head.claimed_bytes) + " bytes are there");
    }
  }
  opened.database = std::move(database).value();
  return opened;
}

}  // namespace lowtide::record

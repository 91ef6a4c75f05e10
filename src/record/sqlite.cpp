#include "record/sqlite.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace lowtide::record {

void Statement::bind(int at, std::string_view text) {
  // An empty view may hold a null pointer, which SQLite would take for NULL.
  const char* bytes = text.empty() ? "" : text.data();
  sqlite3_bind_text64(handle_.get(), at + 1, bytes, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

int Statement::run() {
  const int status = step();
  sqlite3_reset(handle_.get());
  return status == SQLITE_DONE || status == SQLITE_ROW ? SQLITE_OK : status;
}

bool Statement::is_number(int at) const {
  const int type = sqlite3_column_type(handle_.get(), at);
  return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

std::string Statement::text(int at, std::size_t max_bytes) const {
  const auto* bytes = sqlite3_column_text(handle_.get(), at);
  if (bytes == nullptr) {
    return {};
  }
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), at));
  return {reinterpret_cast<const char*>(bytes), std::min(size, max_bytes)};
}

std::int64_t Statement::text_bytes() const {
  std::int64_t bytes = 0;
  for (int at = 0; at < sqlite3_column_count(handle_.get()); ++at) {
    const int type = sqlite3_column_type(handle_.get(), at);
    if (type == SQLITE_TEXT || type == SQLITE_BLOB) bytes += sqlite3_column_bytes(handle_.get(), at);
  }
  return bytes;
}

base::Result<Database> Database::open(const std::string& name, int flags) {
  // SQLite counts its memory under a lock at every allocation, for figures that
  // nobody reads here. It can be configured only before its first use; if somebody
  // else in the process was earlier, it goes on counting.
  [[maybe_unused]] static const int kToldNotToCount = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  sqlite3* handle = nullptr;
  const int status = sqlite3_open_v2(name.c_str(), &handle, flags, nullptr);
  Database database;
  database.handle_.reset(handle);
  if (status != SQLITE_OK) {
    return handle == nullptr ? base::Error{base::ErrorCode::Io, "out of memory"} : database.error();
  }
  sqlite3_extended_result_codes(handle, 1);
  return database;
}

base::Result<Statement> Database::prepare(const std::string& sql) {
  sqlite3_stmt* handle = nullptr;
  const int status = sqlite3_prepare_v3(handle_.get(), sql.c_str(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &handle, nullptr);
  Statement statement(handle);
  if (status != SQLITE_OK) {
    return error();
  }
  return statement;
}

int Database::execute(const char* sql) {
  return sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr);
}

base::Result<std::string> Database::ask(const std::string& sql) {
  auto prepared = prepare(sql);
  if (!prepared.ok()) {
    return std::move(prepared).error();
  }
  const int status = prepared.value().step();
  if (status == SQLITE_ROW) {
    return prepared.value().text(0, 4096);
  }
  return status == SQLITE_DONE ? base::Result<std::string>(std::string())
                               : base::Result<std::string>(error());
}

base::Error Database::error() const {
  const int status = sqlite3_extended_errcode(handle_.get());
  base::ErrorCode code = base::ErrorCode::Io;
  switch (status & 0xff) {
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_READONLY:
      code = base::ErrorCode::Denied;
      break;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_ERROR:
      code = base::ErrorCode::Malformed;
      break;
    default:
      break;
  }
  std::string message = sqlite3_errmsg(handle_.get());
  // For an I/O error SQLite's own words are only "disk I/O error".
  const int cause = sqlite3_system_errno(handle_.get());
  if (cause != 0 && ((status & 0xff) == SQLITE_IOERR || (status & 0xff) == SQLITE_CANTOPEN)) {
    message += " (" + std::generic_category().message(cause) + ")";
  }
  return {code, message};
}

std::string file_uri(std::string_view path, std::string_view parameters) {
  static constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string uri = "file:";
  for (const char letter : path) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                       (letter >= '0' && letter <= '9') || letter == '/' || letter == '.' || letter == '_' ||
                       letter == '-';
    if (plain) {
      uri += letter;
    } else {
      uri += {'%', kHex[byte >> 4U], kHex[byte & 15U]};
    }
  }
  return uri + "?" + std::string(parameters);
}

}  // namespace lowtide::record

// SQLite with owners: handles that close themselves, and errors that are values.
// Result codes stay SQLite's own; who asks for a write wants to know which one it was.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lowtide::record {

class Statement {
 public:
  Statement() = default;
  explicit Statement(sqlite3_stmt* handle) : handle_(handle) {}

  // Parameters and columns count from 0 here.
  void bind(int at, std::int64_t value) { sqlite3_bind_int64(handle_.get(), at + 1, value); }
  void bind(int at, double value) { sqlite3_bind_double(handle_.get(), at + 1, value); }
  void bind(int at, std::string_view text);
  void bind_null(int at) { sqlite3_bind_null(handle_.get(), at + 1); }

  // SQLITE_ROW, SQLITE_DONE or an error.
  [[nodiscard]] int step() { return sqlite3_step(handle_.get()); }
  // Steps a statement without rows and makes it ready for the next time.
  [[nodiscard]] int run();
  void reset() { sqlite3_reset(handle_.get()); }

  [[nodiscard]] bool is_null(int at) const { return sqlite3_column_type(handle_.get(), at) == SQLITE_NULL; }
  [[nodiscard]] bool is_integer(int at) const {
    return sqlite3_column_type(handle_.get(), at) == SQLITE_INTEGER;
  }
  [[nodiscard]] bool is_number(int at) const;
  [[nodiscard]] std::int64_t integer(int at) const { return sqlite3_column_int64(handle_.get(), at); }
  [[nodiscard]] double real(int at) const { return sqlite3_column_double(handle_.get(), at); }
  [[nodiscard]] std::string text(int at, std::size_t max_bytes) const;
  // Of all texts and blobs of the row. Ask before the columns are read: a read may convert a value.
  [[nodiscard]] std::int64_t text_bytes() const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
  };
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

class Database {
 public:
  Database() = default;

  // `name` is a path, or a URI if the flags allow it.
  static base::Result<Database> open(const std::string& name, int flags);

  base::Result<Statement> prepare(const std::string& sql);
  [[nodiscard]] int execute(const char* sql);
  // The first value of the first row; nullptr-like empty text where there is none.
  base::Result<std::string> ask(const std::string& sql);

  // The last failure in words, e.g. "database or disk is full".
  [[nodiscard]] base::Error error() const;
  [[nodiscard]] bool in_transaction() const { return sqlite3_get_autocommit(handle_.get()) == 0; }
  [[nodiscard]] sqlite3* handle() const { return handle_.get(); }
  explicit operator bool() const { return handle_ != nullptr; }

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  std::unique_ptr<sqlite3, Close> handle_;
};

// The path as a URI that SQLite reads back as that path, whatever bytes are in it.
std::string file_uri(std::string_view path, std::string_view parameters);

}  // namespace lowtide::record

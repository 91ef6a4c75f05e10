// A table of a recording that is not samples, as data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "record/sqlite.h"
#include "record/tables/columns.h"

namespace lowtide::record {

// What is read of one table at most. A recording may come from anywhere: the size of the file says little
// about the memory that its rows take.
struct ReadLimit {
  std::int64_t rows = 0;
  std::int64_t text_bytes = std::numeric_limits<std::int64_t>::max();
};

template <typename Row>
struct Table {
  const char* name = nullptr;
  const char* meaning = nullptr;  // of a row
  std::span<const Column<Row>> columns = {};
  ReadLimit limit = {};      // more than a real recording holds
  bool is_replaced = false;  // a row takes the place of an earlier one with the same key
  bool is_late = false;      // was added to the schema: an old recording does not have it
  const char* constraint = "";
  const char* options = "";
  bool (*is_sound)(const Row& row) = nullptr;  // what the values must be together
};

// Each struct that is stored has one; descriptions.h lists them.
template <typename Row>
const Table<Row>& table();

// What does not depend on the type of the row.
struct ColumnText {
  std::string name;
  std::string type;
  std::string meaning;
  std::vector<std::string_view> names = {};  // the values of an enum
};

struct TableText {
  std::string name;
  std::string meaning;
  std::vector<ColumnText> columns;
  std::string constraint = {};
  std::string options = {};
};

template <typename Row>
TableText text_of(const Table<Row>& from) {
  TableText text{from.name, from.meaning, {}, from.constraint, from.options};
  for (const Column<Row>& column : from.columns) {
    text.columns.push_back({column.name, column.type, column.meaning,
                            column.names == nullptr ? std::vector<std::string_view>() : column.names()});
  }
  return text;
}

std::string create_sql(const TableText& table);
std::string insert_sql(const std::string& table, std::size_t columns, bool is_replaced = false);

// False where the row holds values that cannot be. The columns of the query are those of the table.
template <typename Row>
bool read_row(const Statement& from, Row& row) {
  const Table<Row>& description = table<Row>();
  int at = 0;
  for (const Column<Row>& column : description.columns) {
    if (!column.read(from, at++, row, column.bounds)) return false;
  }
  return description.is_sound == nullptr || description.is_sound(row);
}

// Puts rows into their table.
template <typename Row>
struct Insert {
  Statement statement;  // of sql()

  static std::string sql() {
    const Table<Row>& into = table<Row>();
    return insert_sql(into.name, into.columns.size(), into.is_replaced);
  }

  [[nodiscard]] int put(const Row& row) {
    int at = 0;
    for (const Column<Row>& column : table<Row>().columns) column.bind(statement, at++, row, column.bounds);
    return statement.run();
  }
};

}  // namespace lowtide::record

// Reads the tables of a recording of any origin. A row that cannot be is left out and counted; a table that
// is damaged is entered again behind the damage; everything that is missing becomes a warning.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "record/sqlite.h"
#include "record/tables/table.h"

namespace lowtide::record {

enum class RowUse {
  Kept,
  NotNeeded,
  Refused,  // its values cannot be, or do not fit those of other rows
};

class TableReader {
 public:
  TableReader() = default;
  TableReader(Database database, std::vector<std::string> warnings);

  [[nodiscard]] Database& database() { return database_; }
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
  void warn(const std::string& text);

  // Those columns of the table that the recording has; none when it does not have the table. All where the
  // file is too damaged for an answer: the attempt to read the table gives the reason.
  std::vector<std::string> columns_of(const TableText& table);

  template <typename Row>
  [[nodiscard]] bool has() {
    return !columns_of(text_of(table<Row>())).empty();
  }

  // Calls use(row) for the rows of a query whose first column is the row id and whose first parameter is the
  // id to go on behind. Stops with a warning when the rows that were kept reach the limit.
  void scan(const std::string& table, const std::string& sql, const ReadLimit& limit,
            const std::function<RowUse(const Statement&)>& use, double from_s = 0, double below_s = 0);

  // Calls use(row) for each sound row of the table.
  template <typename Row>
  void for_each(const std::function<RowUse(Row&)>& use) {
    const std::string sql = select_sql(text_of(table<Row>()), table<Row>().is_late);
    if (sql.empty()) return;
    scan(table<Row>().name, sql, table<Row>().limit, [&](const Statement& from) {
      Row row{};
      return read_row(from, row) ? use(row) : RowUse::Refused;
    });
  }

  template <typename Row>
  std::vector<Row> all() {
    std::vector<Row> list;
    for_each<Row>([&](Row& row) {
      list.push_back(std::move(row));
      return RowUse::Kept;
    });
    return list;
  }

 private:
  // Empty for a late table that the recording does not have. Columns that it does not have are NULL.
  std::string select_sql(const TableText& table, bool is_late);

  Database database_;
  std::vector<std::string> warnings_;
};

}  // namespace lowtide::record

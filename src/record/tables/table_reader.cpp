#include "record/tables/table_reader.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

namespace lowtide::record {

TableReader::TableReader(Database database, std::vector<std::string> warnings)
    : database_(std::move(database)), warnings_(std::move(warnings)) {}

void TableReader::warn(const std::string& text) {
  constexpr std::size_t kMostWarnings = 100;
  if (warnings_.size() < kMostWarnings) warnings_.push_back(text);
}

std::vector<std::string> TableReader::columns_of(const TableText& table) {
  constexpr std::size_t kLongestName = 100;
  std::vector<std::string> names;
  int status = SQLITE_ERROR;
  auto prepared = database_.prepare("SELECT name FROM pragma_table_info(?)");
  if (prepared.ok()) {
    Statement& row = prepared.value();
    row.bind(0, table.name);
    while ((status = row.step()) == SQLITE_ROW) names.push_back(row.text(0, kLongestName));
  }
  if (status != SQLITE_DONE) {
    names.clear();
    for (const ColumnText& column : table.columns) names.push_back(column.name);
  }
  return names;
}

std::string TableReader::select_sql(const TableText& table, bool is_late) {
  const std::vector<std::string> there = columns_of(table);
  if (there.empty() && is_late) return {};
  std::string list;
  for (const ColumnText& column : table.columns) {
    const bool has = std::find(there.begin(), there.end(), column.name) != there.end();
    const std::string name = column.name == "id" ? "rowid" : has ? column.name : "NULL";
    list += (list.empty() ? "" : ", ") + name;
  }
  // `id` is the rowid in every recording that lowtide writes. Where a file declares it in another way, an
  // order by `id` would sort the whole table in memory.
  return "SELECT " + list + " FROM " + table.name + " WHERE rowid > ? ORDER BY rowid";
}

void TableReader::scan(const std::string& table, const std::string& sql, const ReadLimit& limit,
                       const std::function<RowUse(const Statement&)>& use, double from_s, double below_s) {
  constexpr int kMostEntries = 40;  // into a damaged table
  auto prepared = database_.prepare(sql);
  if (!prepared.ok()) {
    warn("table " + table + " cannot be read: " + prepared.error().message);
    return;
  }
  Statement& rows = prepared.value();
  std::int64_t last = -1;
  std::int64_t gap = 64;
  std::uint64_t refused = 0;
  std::int64_t kept = 0;
  std::int64_t kept_text_bytes = 0;
  const bool counts_text = limit.text_bytes < std::numeric_limits<std::int64_t>::max();
  bool is_full = false;
  int status = SQLITE_DONE;
  std::string trouble;
  for (int entry = 0; entry < kMostEntries && !is_full; ++entry) {
    rows.bind(0, last);
    rows.bind(1, from_s);
    rows.bind(2, below_s);
    while ((status = rows.step()) == SQLITE_ROW) {
      const std::int64_t id = rows.integer(0);
      // Ids only rise; a page that is hung into the tree twice would go on for ever.
      if (id <= last) {
        trouble = "rows out of order";
        status = SQLITE_CORRUPT;
        break;
      }
      last = id;
      const std::int64_t text_bytes = counts_text ? rows.text_bytes() : 0;
      is_full = kept >= limit.rows || kept_text_bytes + text_bytes > limit.text_bytes;
      if (is_full) break;
      const RowUse used = use(rows);
      refused += used == RowUse::Refused ? 1U : 0U;
      kept += used == RowUse::Kept ? 1 : 0;
      kept_text_bytes += used == RowUse::Kept ? text_bytes : 0;
    }
    rows.reset();
    if ((status & 0xff) != SQLITE_CORRUPT || last > std::numeric_limits<std::int64_t>::max() / 2 - gap) {
      break;
    }
    last += gap;
    gap *= 2;
    trouble = trouble.empty() ? "damaged pages" : trouble;
  }
  if (is_full) {
    warn("table " + table + " has more rows than lowtide writes: only the first " + std::to_string(kept) +
         " rows were read");
  }
  if (status != SQLITE_DONE && !is_full && trouble.empty()) trouble = database_.error().message;
  if (!trouble.empty()) warn("part of table " + table + " cannot be read: " + trouble);
  if (refused > 0) {
    warn(std::to_string(refused) + " rows of table " + table + " have impossible values and were left out");
  }
}

}  // namespace lowtide::record

// The inside of a Recording, shared by the two sources that make it up.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/reader.h"
#include "record/sqlite.h"
#include "record/tables/schema.h"

namespace lowtide::record {

struct Recording::State {
  std::string path;
  Database database;
  Header header;
  std::map<std::string, std::string> meta;
  double last_at_s = 0;
  std::uint64_t lost_ticks = 0;
  std::vector<std::string> warnings;

  void warn(const std::string& text);
  void load();
  // Recordings of before the agent have none of its tables.
  [[nodiscard]] bool has_table(const char* name);
  // How many of the other columns of a kind the recording has: later ones were added behind.
  [[nodiscard]] std::size_t columns_there(SeriesKind kind);
  std::array<double, kLevels + 1> lines_of(SeriesKind kind);

  // Calls use(row) for the rows of a query whose first column is the id and
  // whose first parameter the id to go on behind. use() tells whether the row was sound.
  template <typename Use>
  void scan(const std::string& table, const std::string& sql, Use use, double from_s = 0, double below_s = 0);

  template <typename P>
  void visit(SeriesKind kind, const std::function<void(const P&)>& visitor,
             std::optional<std::int64_t> process = {});
};

template <typename Use>
void Recording::State::scan(const std::string& table, const std::string& sql, Use use, double from_s,
                            double below_s) {
  constexpr int kMostEntries = 40;  // into a damaged table
  auto prepared = database.prepare(sql);
  if (!prepared.ok()) {
    warn("table " + table + " cannot be read: " + prepared.error().message);
    return;
  }
  Statement& rows = prepared.value();
  std::int64_t last = -1;
  std::int64_t gap = 64;
  std::uint64_t refused = 0;
  int status = SQLITE_DONE;
  std::string trouble;
  for (int entry = 0; entry < kMostEntries; ++entry) {
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
      refused += use(rows) ? 0U : 1U;
    }
    rows.reset();
    if ((status & 0xff) != SQLITE_CORRUPT || last > std::numeric_limits<std::int64_t>::max() / 2 - gap) {
      break;
    }
    last += gap;
    gap *= 2;
    trouble = trouble.empty() ? "damaged pages" : trouble;
  }
  if (status != SQLITE_DONE && trouble.empty()) {
    trouble = database.error().message;
  }
  if (!trouble.empty()) {
    warn("a part of table " + table + " cannot be read: " + trouble);
  }
  if (refused > 0) {
    warn(std::to_string(refused) + " rows of table " + table + " hold impossible values and were left out");
  }
}

}  // namespace lowtide::record

#include "record/tables/retention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "record/tables/sample_rows.h"

namespace lowtide::record {
namespace {

// For a table that holds one level only: prepares or says why not.
bool prepare_into(Database& database, const std::string& sql, Statement& into) {
  auto prepared = database.prepare(sql);
  if (!prepared.ok()) {
    return false;
  }
  into = std::move(prepared).value();
  return true;
}

}  // namespace

base::Result<Retention> Retention::create(Database& database) {
  Retention retention;
  bool prepared =
      prepare_into(database, "SELECT kind, level, from_s FROM tier", retention.lines_) &&
      prepare_into(database, "UPDATE tier SET from_s = ? WHERE kind = ? AND level = ?", retention.move_);
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    for (std::size_t level = 0; level < kLevels; ++level) {
      Table table{
          .kind = static_cast<SeriesKind>(kind), .level = level, .bounds = {}, .time_of = {}, .remove = {}};
      const std::string name = table_name(table.kind, level);
      // Two questions: only alone are min and max answered without a scan.
      prepared =
          prepared &&
          prepare_into(database,
                       fmt::format("SELECT (SELECT min(id) FROM {0}), (SELECT max(id) FROM {0})", name),
                       table.bounds) &&
          prepare_into(database, "SELECT at_s FROM " + name + " WHERE id >= ? ORDER BY id LIMIT 1",
                       table.time_of) &&
          prepare_into(database, "DELETE FROM " + name + " WHERE id < ? AND at_s < ?", table.remove);
      retention.tables_.push_back(std::move(table));
    }
  }
  if (!prepared) {
    return database.error();
  }
  return retention;
}

int Retention::load() {
  int status = SQLITE_ROW;
  while ((status = lines_.step()) == SQLITE_ROW) {
    const std::string kind = lines_.text(0, 32);
    for (Table& table : tables_) {
      if (kind == spec_of(table.kind).name && static_cast<std::int64_t>(table.level) == lines_.integer(1)) {
        table.from_s = lines_.real(2);
        table.dirty = true;
      }
    }
  }
  lines_.reset();
  certain_ = status == SQLITE_DONE;
  return certain_ ? SQLITE_OK : status;
}

// Where the line of this table should be by age and number of rows.
int Retention::line_of(Table& table, double now_s, double& from_s) {
  const KindSpec& spec = spec_of(table.kind);
  from_s = now_s - spec.ages_s[table.level];
  const int status = table.bounds.step();
  const bool empty = status != SQLITE_ROW || table.bounds.is_null(0);
  const std::int64_t first = empty ? 0 : table.bounds.integer(0);
  const std::int64_t last = empty ? -1 : table.bounds.integer(1);
  table.bounds.reset();
  if (status != SQLITE_ROW) {
    return status;
  }
  const std::int64_t surplus = last - first + 1 - spec.row_limits[table.level];
  if (surplus > 0) {
    table.time_of.bind(0, first + surplus);
    const int found = table.time_of.step();
    if (found == SQLITE_ROW) {
      from_s = std::max(from_s, table.time_of.real(0));
    }
    table.time_of.reset();
    if (found != SQLITE_ROW && found != SQLITE_DONE) {
      return found;
    }
  }
  // Only whole stretches of the next table take over, and only ended ones. What
  // leaves the last table is gone.
  const double width_s = kWidthsSeconds[std::min(table.level + 1, kLevels - 1)];
  from_s = std::floor(std::min(from_s, now_s) / width_s) * width_s;
  return SQLITE_OK;
}

int Retention::move_lines(double now_s) {
  if (!certain_) {
    if (const int status = load(); status != SQLITE_OK) {
      return status;
    }
  }
  for (std::size_t at = 0; at < tables_.size(); ++at) {
    Table& table = tables_[at];
    double from_s = 0;
    if (const int status = line_of(table, now_s, from_s); status != SQLITE_OK) {
      return status;
    }
    if (table.level > 0) {
      from_s = std::min(from_s, tables_[at - 1].from_s);
    }
    if (!(from_s > table.from_s)) {
      continue;
    }
    move_.bind(0, from_s);
    move_.bind(1, std::string_view(spec_of(table.kind).name));
    move_.bind(2, static_cast<std::int64_t>(table.level));
    if (const int status = move_.run(); status != SQLITE_OK) {
      return status;
    }
    table.from_s = from_s;
    table.dirty = true;
    backlog_ = true;
  }
  return SQLITE_OK;
}

int Retention::sweep(Database& database, std::int64_t most_rows) {
  if (!certain_) {
    return SQLITE_OK;  // the next move_lines() looks first
  }
  backlog_ = false;
  for (Table& table : tables_) {
    if (!table.dirty) {
      continue;
    }
    if (most_rows <= 0) {
      backlog_ = true;
      break;
    }
    const int found = table.bounds.step();
    const bool empty = found == SQLITE_ROW && table.bounds.is_null(0);
    const std::int64_t first = table.bounds.integer(0);
    table.bounds.reset();
    if (found != SQLITE_ROW) {
      return found;
    }
    if (empty) {
      table.dirty = false;
      continue;
    }
    table.remove.bind(0, first + most_rows);
    table.remove.bind(1, table.from_s);
    if (const int status = table.remove.run(); status != SQLITE_OK) {
      return status;
    }
    const std::int64_t removed = sqlite3_changes(database.handle());
    table.dirty = removed == most_rows;
    backlog_ = backlog_ || table.dirty;
    most_rows -= removed;
  }
  return SQLITE_OK;
}

}  // namespace lowtide::record

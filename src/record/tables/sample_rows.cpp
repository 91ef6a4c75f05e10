#include "record/tables/sample_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lowtide::record {

std::string table_name(SeriesKind kind, std::size_t level) {
  const char* const name = spec_of(kind).name;
  return level == 0 ? fmt::format("{}_sample", name) : fmt::format("{}_{:.0f}s", name, kWidthsSeconds[level]);
}

TableText sample_table(SeriesKind kind, std::size_t level) {
  const KindSpec& spec = spec_of(kind);
  TableText table{.name = table_name(kind, level), .meaning = spec.meaning, .columns = {}};
  const auto add = [&](const char* name, const char* type) { table.columns.push_back({name, type, "", {}}); };
  add("id", "INTEGER PRIMARY KEY");
  add("at_s", "REAL");
  if (level > 0) {
    add("span_s", "REAL");
    add("count", "INTEGER");
  }
  add("step", "REAL");
  for (const SampleColumn& key : spec.keys()) add(key.name, "INTEGER");
  if (level == 0) {
    add(spec.judged.name, "INTEGER");
  } else {
    for (const char* name : {"low_bytes", "mean_bytes", "high_bytes"}) add(name, "INTEGER");
  }
  for (const SampleColumn& column : spec.columns()) add(column.name, column.thousandths ? "REAL" : "INTEGER");
  return table;
}

std::string row_columns(SeriesKind kind, std::size_t level, const std::vector<std::string>* there) {
  const KindSpec& spec = spec_of(kind);
  std::string list = level == 0 ? "at_s, 0 AS span_s, 1 AS count, step" : "at_s, span_s, count, step";
  for (const SampleColumn& key : spec.keys()) list += fmt::format(", {}", key.name);
  list += level == 0
              ? fmt::format(", {0} AS low_bytes, {0} AS mean_bytes, {0} AS high_bytes", spec.judged.name)
              : ", low_bytes, mean_bytes, high_bytes";
  for (const SampleColumn& column : spec.columns()) {
    const bool has = there == nullptr || std::find(there->begin(), there->end(), column.name) != there->end();
    list += fmt::format(", {}", has ? column.name : "NULL");
  }
  return list;
}

std::string select_sql(SeriesKind kind, std::size_t level, const std::vector<std::string>& there) {
  return fmt::format("SELECT rowid, {} FROM {} WHERE rowid > ? AND at_s >= ? AND at_s < ? ORDER BY rowid",
                     row_columns(kind, level, &there), table_name(kind, level));
}

void bind_row(Statement& insert, SeriesKind kind, std::size_t level, const SampleRow& row) {
  const KindSpec& spec = spec_of(kind);
  int at = 0;
  insert.bind_null(at++);  // the id
  insert.bind(at++, row.at_s);
  if (level > 0) {
    insert.bind(at++, row.span_s);
    insert.bind(at++, row.count);
  }
  insert.bind(at++, row.step);  // SQLite makes NULL of NaN
  for (std::size_t key = 0; key < spec.key_count; ++key) insert.bind(at++, row.keys[key]);
  insert.bind(at++, row.low);
  if (level > 0) {
    insert.bind(at++, static_cast<std::int64_t>(std::llround(std::min(row.mean, 9.2e18))));
    insert.bind(at++, row.high);
  }
  for (std::size_t column = 0; column < spec.column_count; ++column) {
    if (row.others[column] == kAbsent) {
      insert.bind_null(at++);
    } else if (spec.column_list[column].thousandths) {
      insert.bind(at++, static_cast<double>(row.others[column]) / 1000);
    } else {
      insert.bind(at++, row.others[column]);
    }
  }
}

bool read_row(const Statement& from, SeriesKind kind, SampleRow& row) {
  const KindSpec& spec = spec_of(kind);
  int at = 1;
  row.at_s = from.real(at++);
  row.span_s = from.real(at++);
  row.count = from.integer(at++);
  row.step = from.is_null(at) ? model::kUnknown : from.real(at);
  bool sound = is_time(row.at_s) && is_time(row.span_s) && row.span_s >= 0 && row.count >= 1 &&
               !std::isinf(row.step) && (from.is_null(at) || from.is_number(at));
  ++at;
  for (std::size_t key = 0; key < spec.key_count; ++key, ++at) {
    row.keys[key] = from.integer(at);
    sound = sound && from.is_integer(at) && row.keys[key] >= 0 && row.keys[key] <= spec.key_list[key].most;
  }
  row.low = from.integer(at);
  const std::int64_t mean = from.integer(at + 1);
  row.high = from.integer(at + 2);
  row.mean = static_cast<double>(mean);
  sound = sound && from.is_integer(at) && from.is_integer(at + 1) && from.is_integer(at + 2) &&
          row.low >= 0 && row.low <= mean && mean <= row.high;
  at += 3;
  for (std::size_t column = 0; column < spec.column_count; ++column, ++at) {
    std::int64_t& value = row.others[column];
    if (from.is_null(at)) {
      value = kAbsent;
    } else if (spec.column_list[column].thousandths) {
      const double real = from.real(at);
      sound = sound && from.is_number(at) && real >= 0 && real <= 100;
      value = sound ? std::llround(real * 1000) : 0;
    } else {
      value = from.integer(at);
      sound = sound && from.is_integer(at) && value >= 0;
    }
  }
  return sound;
}

}  // namespace lowtide::record

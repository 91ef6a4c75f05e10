// No STRICT, no generated columns: SQLite 3.26, of RHEL 8, must open it.
#include "record/tables/schema.h"

#include <fmt/format.h>

#include "record/tables/descriptions.h"
#include "record/tables/sample_rows.h"
#include "record/tables/series.h"

namespace lowtide::record {
namespace {

std::string line_of(const KindSpec& spec, std::size_t level) {
  return fmt::format("(SELECT from_s FROM tier WHERE kind = '{}' AND level = {})", spec.name, level);
}

std::string series_sql(SeriesKind kind) {
  const KindSpec& spec = spec_of(kind);
  std::string sql;
  for (std::size_t level = 0; level < kLevels; ++level) {
    sql += create_sql(sample_table(kind, level));
    sql += fmt::format("INSERT INTO tier VALUES('{}', {}, '{}', {}, 0);\n", spec.name, level,
                       table_name(kind, level), kWidthsSeconds[level]);
  }
  sql += fmt::format("CREATE VIEW {}_memory AS ", spec.name);
  for (std::size_t level = kLevels; level-- > 0;) {
    sql += fmt::format("SELECT {} FROM {} WHERE at_s >= {}", row_columns(kind, level),
                       table_name(kind, level), line_of(spec, level));
    sql += level > 0 ? " AND at_s < " + line_of(spec, level - 1) + " UNION ALL " : ";\n";
  }
  return sql;
}

}  // namespace

std::string schema_sql() {
  std::string sql =
      fmt::format("PRAGMA application_id = {};\nPRAGMA user_version = {};\n", kApplicationId, kSchemaVersion);
  for (const TableText& table : described_tables()) sql += create_sql(table);
  for (std::size_t kind = 0; kind < kKinds; ++kind) sql += series_sql(static_cast<SeriesKind>(kind));
  return sql;
}

}  // namespace lowtide::record

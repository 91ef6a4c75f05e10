#include "record/tables/table.h"

namespace lowtide::record {

std::string create_sql(const TableText& table) {
  std::string sql = "CREATE TABLE " + table.name;
  const char* before = "(";
  for (const ColumnText& column : table.columns) {
    sql += before + column.name + " " + column.type;
    before = ", ";
  }
  return sql + table.constraint + ")" + table.options + ";\n";
}

std::string insert_sql(const std::string& table, std::size_t columns, bool is_replaced) {
  std::string sql = (is_replaced ? "INSERT OR REPLACE INTO " : "INSERT INTO ") + table + " VALUES(?";
  for (std::size_t at = 1; at < columns; ++at) sql += ",?";
  return sql + ")";
}

}  // namespace lowtide::record

#include "show/document/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/units.h"

namespace lowtide::show {

std::string title_of(std::string label) {
  if (!label.empty() && label.front() >= 'a' && label.front() <= 'z')
    label.front() = static_cast<char>(label.front() - 'a' + 'A');
  return label;
}

Section table_section(const std::string& label, Table table) {
  return {.id = "", .label = label, .title = title_of(label), .blocks = {std::move(table)}};
}

Grid grid_of(const Table& table, Formats format, std::size_t width) {
  const auto is_shown = [&](const TableColumn& column) {
    return (column.in & format) != 0 && width >= column.least_width;
  };
  Grid grid;
  for (const TableColumn& column : table.columns) {
    if (is_shown(column)) grid.head.push_back(column.name);
  }
  const auto add = [&](const TableRow& row) {
    TableRow& out = grid.rows.emplace_back();
    for (std::size_t at = 0; at < row.cells.size(); ++at) {
      if (!is_shown(table.columns[at])) continue;
      if (row.strong_cell == at) out.strong_cell = out.cells.size();
      out.cells.push_back(row.cells[at]);
    }
  };
  const Room room = format == kText ? table.text : format == kMarkdown ? table.markdown : table.page;
  const std::size_t size = table.rows.size();
  const bool has_room = size <= room.first || size - room.first <= room.last;
  const std::size_t first = has_room && table.left_out == 0 ? size : std::min(room.first, size);
  const std::size_t last = std::min(room.last, size - first);
  const std::uint64_t between = size - first - last + table.left_out;
  for (std::size_t at = 0; at < first; ++at) add(table.rows[at]);
  if (room.last == 0) {
    grid.after = between;
  } else if (between > 0) {
    grid.gap = grid.rows.size();
    std::vector<std::string> cells(grid.head.size());
    cells.front() = "…";
    cells.back() = fmt::format("{} more between these", base::format_count(between));
    grid.rows.push_back({std::move(cells)});
  }
  for (std::size_t at = size - last; at < size; ++at) add(table.rows[at]);
  return grid;
}

}  // namespace lowtide::show

#include "markdown.h"

#include <string_view>

namespace lowtide::docs {

std::string code(std::string_view text) {
  return "`" + std::string(text) + "`";
}

std::string code_list(const std::vector<std::string_view>& texts) {
  std::string list;
  for (const std::string_view text : texts) list += (list.empty() ? "" : ", ") + code(text);
  return list;
}

std::string capitalized(std::string_view text) {
  std::string out(text);
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

std::string markdown_table(const std::vector<std::vector<std::string>>& rows) {
  std::string table;
  for (const auto& row : rows) {
    for (const std::string& cell : row) table += (cell.empty() ? "|" : "| ") + cell + " ";
    table += "|\n";
    if (&row != &rows.front()) continue;
    for (std::size_t at = 0; at < row.size(); ++at) table += "|---";
    table += "|\n";
  }
  return table;
}

}  // namespace lowtide::docs

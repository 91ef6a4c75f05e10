#include "show/markdown/table.h"

#include "show/markdown/markdown.h"

namespace lowtide::show {
namespace {

std::string line_of(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& cell : cells) out += " " + markdown_text(cell) + " |";
  return out + "\n";
}

}  // namespace

std::string markdown_section(const std::string& title, const std::vector<std::string>& head,
                             const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) return "";
  std::string out = "\n## " + title + "\n\n" + line_of(head) + "|";
  for (std::size_t at = 0; at < head.size(); ++at) out += " --- |";
  out += "\n";
  for (const auto& row : rows) out += line_of(row);
  return out;
}

}  // namespace lowtide::show

#include "show/compare.h"
#include "show/compare_rows.h"
#include "show/markdown.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

std::string line_of(const Row& cells) {
  std::string out = "|";
  for (const std::string& cell : cells) out += " " + markdown_text(cell) + " |";
  return out + "\n";
}

std::string section(const std::string& title, const Row& head, const std::vector<Row>& rows) {
  if (rows.empty()) return "";
  std::string out = "\n## " + title + "\n\n" + line_of(head) + "|";
  for (std::size_t at = 0; at < head.size(); ++at) out += " --- |";
  out += "\n";
  for (const Row& row : rows) out += line_of(row);
  return out;
}

}  // namespace

std::string to_markdown(const model::Comparison& comparison) {
  std::string out = "# " + markdown_text(sentence(headline(comparison))) + "\n\n";
  out += "- before: " + markdown_text(source_name(comparison.before.source)) + "\n";
  out += "- after: " + markdown_text(source_name(comparison.after.source)) + "\n";
  out += "- " + markdown_text(alignment(comparison)) + "\n";
  out += section("What changed", {"", "before", "after", ""}, value_rows(comparison));
  out += section("Of what it is made", {"", "before", "after", ""}, part_rows(comparison));
  return out + section("Findings", {"", "severity", "finding"}, finding_rows(comparison));
}

}  // namespace lowtide::show

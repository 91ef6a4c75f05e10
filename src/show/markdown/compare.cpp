#include "show/compare.h"
#include "show/markdown/markdown.h"
#include "show/markdown/table.h"
#include "show/rows/compare.h"
#include "show/words.h"

namespace lowtide::show {

std::string to_markdown(const model::Comparison& comparison) {
  std::string out = "# " + markdown_text(sentence(headline(comparison))) + "\n\n";
  out += "- before: " + markdown_text(source_name(comparison.before.source)) + "\n";
  out += "- after: " + markdown_text(source_name(comparison.after.source)) + "\n";
  out += "- " + markdown_text(alignment(comparison)) + "\n";
  out += markdown_section("What changed", {"", "before", "after", ""}, value_rows(comparison));
  out += markdown_section("Of what it is made", {"", "before", "after", ""}, part_rows(comparison));
  return out + markdown_section("Findings", {"", "severity", "finding"}, finding_rows(comparison));
}

}  // namespace lowtide::show

#include "show/plan.h"
#include "show/markdown/markdown.h"
#include "show/markdown/table.h"
#include "show/rows/plan.h"
#include "show/words.h"

namespace lowtide::show {

std::string to_markdown(const model::Plan& plan) {
  std::string out = "# " + markdown_text(sentence(headline(plan))) + "\n\n";
  for (const Row& row : fact_rows(plan)) out += "- " + row[0] + ": " + markdown_text(row[1]) + "\n";
  out += markdown_section("Of what it is made", part_head(plan), part_rows(plan));
  out += markdown_section("What to try next, by what it buys", knob_head(plan), knob_rows(plan));
  return out + markdown_section("What is assumed", {"", ""}, assumption_rows(plan));
}

}  // namespace lowtide::show

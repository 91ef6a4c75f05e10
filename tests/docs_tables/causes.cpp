// docs/causes.md: the ids of findings.
#include "markdown.h"
#include "model/finding_ids.h"
#include "sections.h"

namespace lowtide::docs {
namespace {

template <model::FindingTheme Theme>
std::string findings() {
  std::vector<std::vector<std::string>> rows = {{"id", "at most", "known by", "made in"}};
  for (const model::FindingRow& row : model::kFindings) {
    if (row.theme != Theme) continue;
    rows.push_back(
        {code(row.id), std::string(to_string(row.gravest)), std::string(row.known_by), code(row.made_in)});
  }
  return markdown_table(rows);
}

}  // namespace

std::vector<Section> causes_sections() {
  using model::FindingTheme;
  return {{"src/model, findings of a variable", findings<FindingTheme::Variable>},
          {"src/model, findings of growth", findings<FindingTheme::Growth>},
          {"src/model, findings of no leak", findings<FindingTheme::NoLeak>},
          {"src/model, findings of the run", findings<FindingTheme::Run>}};
}

}  // namespace lowtide::docs

// docs/serve.md: the metrics.
#include "markdown.h"
#include "sections.h"
#include "show/export/metrics.h"

namespace lowtide::docs {
namespace {

std::string metrics() {
  std::vector<std::vector<std::string>> rows = {{"metric", "type", "label", "meaning"}};
  for (const show::Metric& metric : show::kMetrics) {
    rows.push_back({code(metric.name), std::string(metric.type),
                    metric.label.empty() ? std::string() : code(metric.label), std::string(metric.help)});
  }
  return markdown_table(rows);
}

}  // namespace

std::vector<Section> serve_sections() {
  return {{"src/show, metrics", metrics}};
}

}  // namespace lowtide::docs

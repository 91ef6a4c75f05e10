// A comparison as a page: the text needs no script, and a script adds the differential flame graph.
#include <fmt/format.h>

#include "model/comparison.h"
#include "show/compare.h"
#include "show/document/writers.h"
#include "show/markup.h"
#include "show/page/fill_template.h"
#include "show/page/page.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

// The class that has the colour of the outcome in style.css.
std::string_view tone_of(model::ChangeOutcome outcome) {
  switch (outcome) {
    case model::ChangeOutcome::Better:
      return "stable";
    case model::ChangeOutcome::Worse:
      return "leak";
    case model::ChangeOutcome::Same:
    case model::ChangeOutcome::Open:
      break;
  }
  return "inconclusive";
}

std::string summary_of(const model::Comparison& comparison) {
  const Document document = comparison_document(comparison);
  std::string out = fmt::format(
      "<header class=\"masthead\">\n<p class=\"brand\">lowtide compare</p>\n<h1>{}</h1>\n</header>\n"
      "<section id=\"verdict\" class=\"verdict {} comparison\">\n<h2>{}</h2>\n",
      markup_text(subject(comparison.after.source), 200), tone_of(comparison.outcome),
      markup_text(document.title, 600));
  for (std::size_t at = 0; at < document.sections.size(); ++at) {
    Section section = document.sections[at];
    section.id = fmt::format("part-{}", at);
    // The first section belongs to the answer.
    out += at == 0 ? page_blocks(section) + "</section>\n" : page_section(section);
  }
  return out + "<div id=\"pictures\"></div>\n";
}

// What the growth of the run before is multiplied by, so that both runs have the same length.
double growth_scale(const model::Comparison& comparison) {
  const model::Source& before = comparison.before.source;
  const model::Source& after = comparison.after.source;
  if (before.steps.value_or(0) > 0 && after.steps.value_or(0) > 0)
    return static_cast<double>(*after.steps) / static_cast<double>(*before.steps);
  if (before.duration_s.value_or(0) > 0 && after.duration_s.value_or(0) > 0)
    return *after.duration_s / *before.duration_s;
  return 1;
}

}  // namespace

std::string to_page(std::string_view page, const model::Comparison& comparison, const model::Profile& before,
                    const model::Profile& after) {
  const model::Trace none;
  const PageContents contents{.report = comparison.after,
                              .trace = none,
                              .profile = after,
                              .baseline = PageBaseline{before, growth_scale(comparison)}};
  const std::string title = fmt::format("{}: memory of {}", to_string(comparison.outcome),
                                        markup_text(subject(comparison.after.source), 120));
  return fill_template(page, title, summary_of(comparison), contents);
}

}  // namespace lowtide::show

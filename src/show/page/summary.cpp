#include "show/page/summary.h"

#include <fmt/format.h>

#include "base/units.h"
#include "show/document/report_sections.h"
#include "show/document/writers.h"
#include "show/markup.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

using base::format_count;

std::string masthead(const model::Report& report) {
  std::string out = fmt::format("<header class=\"masthead\">\n<p class=\"brand\">lowtide</p>\n<h1>{}</h1>\n",
                                markup_text(subject(report.source), 200));
  std::string facts;
  const auto add = [&](const std::string& html) { facts += "<span>" + html + "</span>"; };
  if (report.source.started) add(markup_text(*report.source.started, 40));
  if (report.source.duration_s) add(base::format_seconds(*report.source.duration_s));
  if (report.source.steps) add(format_count(*report.source.steps) + " steps");
  add(markup_text(source_name(report.source), 200));
  if (report.ending == model::Ending::Running) add("the job is still running");
  if (report.ending == model::Ending::CutOff) add("the recording ends early");
  return out + "<p class=\"facts\">" + facts + "</p>\n</header>\n";
}

}  // namespace

std::string page_title(const model::Report& report) {
  return fmt::format("{}: memory of {}", model::to_string(report.verdict.kind),
                     markup_text(subject(report.source), 120));
}

std::string page_summary(const model::Report& report) {
  const model::SeriesReport* series = speaker(report);
  std::string out = masthead(report);
  if (series == nullptr) {
    return out + "<section id=\"verdict\" class=\"verdict inconclusive\">\n<h2>" +
           markup_text(sentence(report.verdict.reason), 600) + "</h2>\n</section>\n";
  }
  out += fmt::format("<section id=\"verdict\" class=\"verdict {}\">\n{}{}</section>\n",
                     model::to_string(report.verdict.kind), page_blocks(answer_section(report)),
                     page_blocks(evidence_section(report, *series)));
  out += page_section(findings_section(report)) + page_section(ruled_out_section(report));
  // The place for the sections that scripts add; empty without them.
  out += "<div id=\"pictures\"></div>\n";
  // Scripts replace the table with a tree that has curves.
  Section processes = processes_section(report);
  processes.title = title_of(processes.label);
  return out + page_section(processes) + page_section(gpu_memory_section(report)) +
         page_section(events_section(report));
}

}  // namespace lowtide::show

#include "base/text.h"
#include "show/document/report_sections.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

constexpr std::size_t kWidestLine = 100;  // longer lines are hard to read, however wide the terminal

std::string title_of_report(const model::Report& report) {
  constexpr std::size_t kMostTitleBytes = 200;
  return "Memory of " + base::printable(subject(report.source), kMostTitleBytes);
}

}  // namespace

Document report_document(const model::Report& report, bool has_stacks) {
  Document out{.title = title_of_report(report), .widest_line = kWidestLine};
  out.sections = {answer_section(report)};
  const model::SeriesReport* series = speaker(report);
  if (series == nullptr) {
    out.sections.push_back(events_section(report));
    return out;
  }
  const bool is_watched = is_recording(report);
  out.sections.push_back(evidence_section(report, *series));
  out.sections.push_back(
      {.blocks = {Plot{.series = series,
                       .limit_bytes = report.limit ? std::optional(report.limit->bytes) : std::nullopt}}});
  out.sections.push_back(runs_section(report));
  if (is_watched) {
    for (Section& section : std::vector<Section>{
             mechanisms_section(report), processes_section(report), phases_section(report),
             sites_section(report, has_stacks), memory_sentence_section(report), gpu_memory_section(report),
             findings_section(report), ruled_out_section(report), memory_table_section(report)})
      out.sections.push_back(std::move(section));
  }
  out.sections.push_back(other_series_section(report));
  out.sections.push_back(events_section(report));
  // The advice for a log is what its basis leads to; that for a recording follows from its findings.
  if (!is_watched) out.sections.push_back(basis_section(report, *series));
  out.sections.push_back(next_steps_section(report));
  if (is_watched) {
    out.sections.push_back(watch_section(report, *series));
    out.sections.push_back(basis_section(report, *series));
  }
  return out;
}

}  // namespace lowtide::show

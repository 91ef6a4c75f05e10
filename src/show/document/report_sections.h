// The sections of the report of a log or of a recording. `series` gave the report its verdict.
#pragma once

#include "model/report.h"
#include "show/document/document.h"

namespace lowtide::show {

inline bool is_recording(const model::Report& report) {
  return report.source.type == model::SourceType::Recording;
}

// All of them, in the order of text and Markdown. The report must outlive the document. `has_stacks`: in
// text, sites have their whole stacks.
Document report_document(const model::Report& report, bool has_stacks = false);

// The answer, its cause, the fix and the evidence, in text. The rest of the report is report_document().
Document short_report_document(const model::Report& report);

// The lines of code, the variable and the fix that belong to the answer.
Facts cause_facts(const model::Report& report, Formats in);

// The first line of a report.
Answer answer_of(const model::Report& report);

// What was found, why, and what it is based on.
Section answer_section(const model::Report& report);
Section evidence_section(const model::Report& report, const model::SeriesReport& series);
Section mechanisms_section(const model::Report& report);

Section runs_section(const model::Report& report);
Section other_series_section(const model::Report& report);
Section events_section(const model::Report& report);

Section processes_section(const model::Report& report);
Section phases_section(const model::Report& report);
Section sites_section(const model::Report& report, bool has_stacks);

// Where the memory of the cgroup is: one sentence in text, a table in Markdown.
Section memory_sentence_section(const model::Report& report);
Section memory_table_section(const model::Report& report);

// What fills each GPU at the last snapshot, and at the one with most.
Section gpu_memory_section(const model::Report& report);

Section findings_section(const model::Report& report);
Section ruled_out_section(const model::Report& report);

// In Markdown only: what to do, what to watch, where the numbers come from.
Section next_steps_section(const model::Report& report);
Section watch_section(const model::Report& report, const model::SeriesReport& series);
Section basis_section(const model::Report& report, const model::SeriesReport& series);

}  // namespace lowtide::show

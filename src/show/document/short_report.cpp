// The default report: the answer, the lines of code that cause it, the fix, the evidence, and the answer
// again, because a terminal shows the end of its output. Its plot is as high as a terminal of 24 rows allows.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "show/answer_words.h"
#include "show/document/report_sections.h"
#include "show/document/short_report.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

using base::format_count;
using base::printable;
using model::VerdictKind;

constexpr std::size_t kWidestShortLine = 100;
constexpr std::size_t kMostShortLines = 24;  // the height of a terminal
constexpr std::size_t kMostEvidence = 3;
constexpr std::size_t kMostText = 400;

Section last_line(const model::Report& report) {
  Answer answer = answer_of(report);
  answer.words = answer_sentence(report);
  answer.more.clear();
  answer.is_one_line = true;
  return {.blocks = {std::move(answer)}, .follows = true};
}

// What tensors held when an allocation failed.
Section parts_section(const model::Finding& cause) {
  constexpr std::size_t kMostRows = 8;
  Table table{.in = kText, .columns = {{"held when it failed"}, {"size"}, {""}}};
  std::uint64_t rest = 0;
  for (const model::MemoryPart& part : cause.parts) {
    if (table.rows.size() < kMostRows) {
      table.rows.push_back({{printable(part.name, 40), bytes_words(part.bytes), printable(part.what, 60)}});
    } else {
      rest += part.bytes;
    }
  }
  if (rest > 0) table.rows.push_back({{"others", bytes_words(rest), ""}});
  return {.blocks = {std::move(table)}};
}

std::string ruled_out_words(const model::Report& report, const model::Finding* cause) {
  std::string out;
  if (cause != nullptr) {
    for (const model::ExcludedCause& excluded : cause->excluded) {
      constexpr double kShownAsZero = 0.5;  // percent
      if (excluded.mechanism && excluded.share * 100 <= kShownAsZero)
        out += (out.empty() ? "" : ", ") + excluded.what;
    }
    if (!out.empty()) out += ": 0% of the growth";
  }
  if (!out.empty() || cause != nullptr || report.verdict.kind == VerdictKind::Leak) return out;
  for (const model::Finding& finding : report.findings) {
    // The others repeat the first line.
    const bool is_other = finding.id == "page-cache" || finding.id == "wrapper-is-stable";
    if (finding.ruled_out && is_other && &finding != cause) out += (out.empty() ? "" : "; ") + finding.title;
  }
  return out;
}

std::string job_words(const model::Report& report) {
  const std::size_t count = report.processes.size();
  const auto is_main = [&](const model::ProcessReport& process) {
    return count == 1 || process.info.role == model::ProcessRole::Trainer;
  };
  const auto main = std::find_if(report.processes.begin(), report.processes.end(), is_main);
  std::string out = fmt::format("{} processes", count);
  if (main != report.processes.end()) {
    out = fmt::format("{}, pid {}", role_name(main->info), main->info.pid);
    if (count > 1) out += fmt::format(", and {} other{}", count - 1, count == 2 ? "" : "s");
  }
  if (report.exit_status) out += fmt::format(", exit {}", *report.exit_status);
  for (const model::Finding& finding : report.findings) {
    if (finding.id == "short-lived-processes") out += ", " + finding.title;
  }
  if (report.ending == model::Ending::Running) out += ", still running";
  if (report.ending == model::Ending::CutOff) out += ", the recording was cut off";
  return out;
}

// Processes without the agent: their lines and variables are not known.
std::string not_entered_words(const model::OverheadReport& overhead) {
  if (overhead.not_entered.empty()) return fmt::format("{} processes", overhead.not_entered_count);
  const std::uint64_t others = overhead.not_entered_count - 1;
  return overhead.not_entered.front() + (others > 0 ? fmt::format("; and {} more", others) : "");
}

void add_evidence(const model::Report& report, const model::SeriesReport& series, Facts& out) {
  const model::Finding* cause = cause_of(report);
  std::vector<std::string> evidence;
  if (cause != nullptr) evidence = texts_of(cause->evidence);
  if (cause == nullptr && report.verdict.kind == VerdictKind::Leak) evidence.push_back(report.verdict.reason);
  if (const model::SeriesReport* second = find_second(report))
    evidence.push_back(fmt::format("{} also grows: {}", second->name, second->verdict.reason));
  if (evidence.size() > kMostEvidence) evidence.resize(kMostEvidence);
  for (std::string& text : evidence) text = printable(text, kMostText);
  if (!evidence.empty()) {
    Fact fact{.in = kText, .name = "evidence", .value = evidence.front()};
    fact.more.assign(evidence.begin() + 1, evidence.end());
    out.facts.push_back(std::move(fact));
  }
  const auto add = [&](std::string name, const std::string& value) {
    if (!value.empty())
      out.facts.push_back({.in = kText, .name = std::move(name), .value = printable(value, kMostText)});
  };
  // What was ruled out is about the memory of the host.
  if (!model::is_gpu_memory(series.quantity)) add("ruled out", ruled_out_words(report, cause));
  const bool is_own_limit = report.limit && !report.limit->told_by_machine;
  if (is_own_limit && !report.forecast) add("limit", limit_words(*report.limit, series));
  if (report.runs.size() > 1) {
    const std::string why = why_primary(report.runs[report.primary_run]);
    add("run", fmt::format("{} of {} runs{}{}", report.runs[report.primary_run].name, report.runs.size(),
                           why.empty() ? "" : ", ", why));
  }
  for (const model::Event& event : report.events) {
    const bool is_cause = cause != nullptr && cause->title == event.text;
    if (event.kind != model::EventKind::Exit && event.kind != model::EventKind::Restart && !is_cause) {
      add("event", fmt::format("{}, {}: {}", event_place(event), model::to_string(event.kind), event.text));
      break;
    }
  }
  if (report.overhead && report.overhead->not_entered_count > 0)
    add("not entered", not_entered_words(*report.overhead));
  for (const model::Finding& finding : report.findings) {
    if (finding.id == "trim-trial") add("trim trial", finding.title);
  }
  if (is_recording(report)) {
    add("job", job_words(report));
    add("more", fmt::format("lowtide report --all {} (or --html FILE)", source_name(report.source)));
  } else {
    add("read",
        fmt::format("{}: {} readings{}", source_name(report.source), format_count(series.verdict.samples),
                    report.source.format.empty() ? "" : ", " + report.source.format));
    if (report.source.path != "-")
      add("more", fmt::format("lowtide analyze --all {}", source_name(report.source)));
  }
}

}  // namespace

Document short_report_document(const model::Report& report) {
  Document out{.widest_line = kWidestShortLine, .most_lines = kMostShortLines};
  out.sections.push_back(Section{.blocks = {answer_of(report)}, .is_brief = true});
  const model::SeriesReport* series = speaker(report);
  if (series == nullptr) {
    out.sections.push_back(
        {.blocks = {Paragraph{.in = kText, .text = report.verdict.reason}}, .is_brief = true});
    out.sections.push_back(events_section(report));
    return out;
  }
  out.sections.push_back({.blocks = {cause_facts(report, kText)}, .is_brief = true});
  // The series shows the host, or tensors between two readings: neither is about the failure.
  const model::Finding* const cause = cause_of(report);
  const bool is_gpu_full = cause != nullptr && cause->id == "cuda-out-of-memory";
  if (!is_gpu_full) {
    out.sections.push_back(
        {.blocks = {Paragraph{.in = kText, .text = printable(growth_sentence(report, *series), 1000)}}});
  }
  // The rows are about the memory of the host.
  const bool has_rows =
      report.processes.size() > 1 && has_several_holders(report) && !model::is_gpu_memory(series->quantity);
  if (!is_gpu_full && (!has_rows || report.answer.process.empty()))
    out.sections.push_back({.blocks = {Plot{.series = series, .is_small = true, .is_optional = has_rows}}});
  if (has_rows) out.sections.push_back(short_processes_section(report));
  if (is_gpu_full && !cause->parts.empty()) out.sections.push_back(parts_section(*cause));
  Facts facts;
  add_evidence(report, *series, facts);
  out.sections.push_back({.blocks = {std::move(facts)}});
  out.sections.push_back(last_line(report));
  return out;
}

}  // namespace lowtide::show

// What was found, and the figures that it rests on.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "show/answer_words.h"
#include "show/document/report_sections.h"
#include "show/forecast_words.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

using base::printable;
using model::VerdictKind;

constexpr std::size_t kMostSentence = 1000;

// What the growth of the tree is made of: "67% live Python objects, 33% free memory kept by the allocator";
// empty when nothing of it is known.
std::string growth_parts(const model::Report& report) {
  constexpr double kLeastShown = 0.005;  // rounds to a percent
  if (!report.growth || report.growth->explained_share.value_or(0) <= 0) return "";
  std::string out;
  for (const model::MechanismShare& part : report.growth->mechanisms) {
    if (part.share < kLeastShown) continue;
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", base::format_share(part.share),
                       mechanism_words(part.mechanism));
  }
  return out;
}

std::string read_words(const model::Report& report, const model::SeriesReport& series) {
  const std::uint64_t samples = series.verdict.samples;
  std::string words = fmt::format("{}: {} {}", source_name(report.source), base::format_count(samples),
                                  samples == 1 ? "reading" : "readings");
  if (const std::string span = extent(series); !span.empty()) words += ", " + span;
  if (!report.source.format.empty()) words += " (" + printable(report.source.format, 60) + ")";
  if (report.ending == model::Ending::Running) words += "; the job is still running";
  if (report.ending == model::Ending::CutOff) words += "; the recording ends early";
  return words;
}

std::string limit_note(const model::Limit& limit) {
  if (!limit.told_by_machine) return "";
  return limit.kind == model::LimitKind::Cgroup ? "of the cgroup" : "the memory of the host";
}

}  // namespace

Answer answer_of(const model::Report& report) {
  Answer answer{.label = answer_label(report.answer),
                .words = answer_subject(report),
                .role = answer_role(report),
                .short_words = answer_subject(report, SubjectForm::Short)};
  for (std::string& more :
       std::vector{answer_rate(report), answer_confidence(report), answer_failure(report)}) {
    if (!more.empty()) answer.more.push_back(std::move(more));
  }
  return answer;
}

Section answer_section(const model::Report& report) {
  const model::Verdict& verdict = report.verdict;
  const model::SeriesReport* series = speaker(report);
  Section out{.id = "verdict", .is_brief = true};
  const auto add = [&](Formats in, const std::string& text, bool is_strong = false) {
    out.blocks.emplace_back(
        Paragraph{.in = in, .text = printable(text, kMostSentence), .is_strong = is_strong});
  };
  out.blocks.emplace_back(answer_of(report));
  if (series == nullptr) {
    std::get<Answer>(out.blocks.front()).in = kText;
    add(kText, verdict.reason);
    add(kMarkdown, verdict.reason, true);
    if (verdict.needs) add(kText, "needs: " + model::needs_words(*verdict.needs));
    return out;
  }
  if (is_recording(report)) {
    out.title = "Summary";
    out.blocks.emplace_back(cause_facts(report, kMarkdown | kPage));
  }
  add(kEverywhere, verdict.reason + model::needs_suffix(verdict));
  if (has_forecast(report)) {
    const char* const if_so = report.ending == model::Ending::Running ? "if the growth continues, " : "";
    add(is_recording(report) ? kMarkdown | kPage : kPage,
        if_so + forecast_words(*report.forecast, *series, report.ending, report.limit));
  }
  for (const model::Finding& finding : report.findings) {
    if (finding.severity > model::Severity::High || finding.ruled_out) continue;
    add(kMarkdown, printable(finding.title));
  }
  return out;
}

// What each format calls a figure stands together here.
Section evidence_section(const model::Report& report, const model::SeriesReport& series) {
  const model::Verdict& verdict = series.verdict;
  const bool is_warmup = verdict.kind == VerdictKind::Warmup;
  Facts out{.is_table = true};
  const auto add = [&](Formats in, std::string name, std::string value, std::string note = "") {
    if (!value.empty()) out.facts.push_back({in, std::move(name), std::move(value), std::move(note)});
  };
  add(kMarkdown, "Verdict",
      fmt::format("{}, confidence {}", model::to_string(verdict.kind), percent(verdict.confidence)));
  if (verdict.lean) {
    add(kMarkdown, "Leaning",
        fmt::format("{}, {}", model::to_string(verdict.lean->kind), percent(verdict.lean->confidence)));
  }

  const std::string floor = floor_words(verdict.floor);
  add(kText, "floor", floor);
  add(kMarkdown, "Floor, first to last", floor);
  add(kPage, "Floor", floor, "first to last");

  const std::string grown = growth(series);
  const std::string growth_name = is_warmup ? "Growth while it warmed up" : "Growth of the floor";
  add(kText, "growth", grown + (is_warmup && !grown.empty() ? ", while it warmed up" : ""));
  add(kMarkdown, growth_name, grown);
  if (verdict.kind != VerdictKind::Stable && verdict.kind != VerdictKind::Spikes)
    add(kPage, growth_name, rate_words(series));
  add(kText, "made of", growth_parts(report));

  if (verdict.warmup_end) add(kMarkdown | kPage, "Warm-up ended", place(*verdict.warmup_end));
  if (verdict.plateau_bytes && !verdict.levels && !has_fallen(verdict)) {
    add(kText, "plateau", bytes_words(*verdict.plateau_bytes));
    add(kMarkdown | kPage, "Plateau", bytes_words(*verdict.plateau_bytes));
  }
  if (verdict.spike_bytes) {
    add(kText, "spikes", bytes_words(*verdict.spike_bytes) + " above the floor");
    add(kMarkdown, "Spikes above the floor", bytes_words(*verdict.spike_bytes));
    add(kPage, "Spikes", bytes_words(*verdict.spike_bytes), "above the floor");
  }
  if (series.peak_bytes > 0) add(kText, "peak", bytes_words(series.peak_bytes));
  add(kMarkdown | kPage, "Peak", bytes_words(series.peak_bytes));

  if (report.limit && !model::is_gpu_memory(series.quantity)) {
    add(kMarkdown, "Limit", limit_words(*report.limit, series));
    add(kPage, "Limit", base::format_limit(report.limit->bytes), limit_note(*report.limit));
    if (!has_forecast(report)) add(kText, "limit", limit_words(*report.limit, series));
  }
  if (has_forecast(report)) {
    const std::string words = forecast_words(*report.forecast, series, report.ending, report.limit);
    add(kText, "forecast", words);
    add(kMarkdown, "Forecast", words);
  }

  const model::RunReport& run = report.runs[report.primary_run];
  if (report.runs.size() > 1) add(kText, "run", printable(run.name, 80));
  add(kText, "series", why_primary(run));
  add(kText, "job", printable(report.source.command, 200));
  add(kText, "read", read_words(report, series));
  add(kMarkdown, "Series", printable(series.name));
  const std::string readings = base::format_count(verdict.samples);
  const std::string span = extent(series);
  add(kMarkdown, "Readings", readings + (span.empty() ? "" : ", " + span));
  add(kPage, "Readings", readings, span);
  return {.title = "Evidence", .blocks = {std::move(out)}};
}

Section mechanisms_section(const model::Report& report) {
  Table table{.in = kMarkdown, .columns = {{"mechanism"}, {"bytes"}, {"share"}}};
  if (report.growth && report.growth->explained_share.value_or(0) > 0) {
    for (const model::MechanismShare& part : report.growth->mechanisms) {
      table.rows.push_back({{std::string(mechanism_words(part.mechanism)), bytes_words(part.bytes),
                             base::format_share(part.share)}});
    }
  }
  return {.title = "What the growth is made of", .blocks = {std::move(table)}};
}

}  // namespace lowtide::show

// The runs of a log, the series beside the one that the report is about, and what happened.

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "show/document/report_sections.h"
#include "show/forecast_words.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

using base::printable;

std::string why_of(const model::Verdict& verdict) {
  return printable(verdict.reason + model::needs_suffix(verdict));
}

// The one that the report is about has a star in text; in Markdown it is strong.
std::string run_name(const model::RunReport& run, bool is_chosen, Formats in) {
  if (in == kMarkdown) return printable(run.name, 80);
  return (is_chosen ? "* " : "  ") + printable(run.name, 60);
}

// Why another run could or could not be judged; that of the report has its own section.
Entries runs_in_full(const model::Report& report) {
  Entries out{.indent = 6};
  for (std::size_t at = 0; at < report.runs.size(); ++at) {
    const model::RunReport& run = report.runs[at];
    if (run.series.empty()) continue;
    const model::SeriesReport& series = run.series.front();
    const bool is_chosen = at == report.primary_run;
    Entry entry{.head = fmt::format("{}, lines {}-{}: ", run_name(run, is_chosen, kText), run.first_line,
                                    run.last_line),
                .verdict = brief(series),
                .role = paint_role(series.verdict.kind)};
    if (!is_chosen) entry.details.push_back({.text = why_of(series.verdict)});
    out.entries.push_back(std::move(entry));
  }
  return out;
}

// The last runs, and the one that the report is about.
Table runs_table(const model::Report& report, Formats in, std::size_t most) {
  Table table{.in = in,
              .columns = {{"run"}, {"lines"}, {"floor", kMarkdown}, {"verdict"}, {"why", kMarkdown}},
              .has_head_in_text = false,
              .is_indented = false};
  for (std::size_t at = 0; at < report.runs.size(); ++at) {
    const model::RunReport& run = report.runs[at];
    const bool is_chosen = at == report.primary_run;
    if (run.series.empty() || (at + most < report.runs.size() && !is_chosen)) continue;
    const model::SeriesReport& series = run.series.front();
    const std::string lines = in == kText ? fmt::format("lines {}-{}", run.first_line, run.last_line)
                                          : fmt::format("{}–{}", run.first_line, run.last_line);
    TableRow row{{run_name(run, is_chosen, in), lines, floor_words(series.verdict.floor), brief(series),
                  why_of(series.verdict)}};
    if (is_chosen) row.strong_cell = 0;
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

Section runs_section(const model::Report& report) {
  constexpr std::size_t kMostInFull = 4;
  constexpr std::size_t kMostInText = 12;
  constexpr std::size_t kMostInMarkdown = 50;
  Section out{.label = "runs in this log; the report is about the one marked *", .title = "Runs"};
  const std::size_t runs = report.runs.size();
  if (runs < 2) return {};
  if (runs <= kMostInFull) {
    out.blocks.emplace_back(runs_in_full(report));
  } else {
    out.blocks.emplace_back(runs_table(report, kText, kMostInText));
  }
  out.blocks.emplace_back(runs_table(report, kMarkdown, kMostInMarkdown));
  const auto add = [&](Formats in, std::string text) {
    out.blocks.emplace_back(Paragraph{.in = in, .text = std::move(text)});
  };
  if (runs > kMostInText)
    add(kText, fmt::format("and {} earlier runs (--json has them all)", runs - kMostInText));
  if (runs > kMostInMarkdown)
    add(kMarkdown,
        fmt::format("{} earlier runs are left out here; the JSON has them", runs - kMostInMarkdown));
  add(kMarkdown, "the report is about the run in bold: the latest one with enough readings for a verdict");
  return out;
}

Section other_series_section(const model::Report& report) {
  constexpr std::size_t kMostSeries = 12;
  Table table{.in = is_recording(report) ? kText : Formats{kText | kMarkdown},
              .columns = {{"series"},
                          {"floor"},
                          {"peak", kMarkdown},
                          {"verdict", kMarkdown},
                          {"verdict and forecast", kText}},
              .has_head_in_text = false,
              .text = {.first = kMostSeries}};
  const auto& all = report.runs[report.primary_run].series;
  for (std::size_t at = 1; at < all.size(); ++at) {
    const model::SeriesReport& series = all[at];
    const std::string verdict = brief(series);
    table.rows.push_back(
        {{printable(series.name, 80), floor_words(series.verdict.floor), bytes_words(series.peak_bytes),
          verdict,
          series.forecast ? verdict + "; " + forecast_words(*series.forecast, series, report.ending)
                          : verdict}});
  }
  return table_section("other series in this run", std::move(table));
}

Section events_section(const model::Report& report) {
  const bool has_times = is_recording(report);
  Table table{.columns = {{"line", has_times ? Formats{0} : kMarkdown},
                          {"when", has_times ? kEverywhere : Formats{kText | kPage}},
                          {"kind"},
                          {"text"}},
              .has_head_in_text = false,
              .text = {.first = 3, .last = 5},
              .markdown = {.first = 5, .last = 15},
              .page = {.first = 5, .last = 15},
              .left_out = report.events_left_out};
  for (const model::Event& event : report.events) {
    table.rows.push_back({{std::to_string(event.line), event_place(event),
                           std::string(model::to_string(event.kind)), printable(event.text, 200)}});
  }
  Section out = table_section("events", std::move(table));
  out.id = "events";
  return out;
}

}  // namespace lowtide::show

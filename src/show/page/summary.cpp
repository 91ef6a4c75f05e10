#include "show/page/summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "show/markup.h"
#include "show/page/findings.h"
#include "show/rows/processes.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

using base::format_count;
using model::VerdictKind;

std::string subject(const model::Report& report) {
  return report.source.command.empty() ? source_name(report.source) : report.source.command;
}

std::string masthead(const model::Report& report) {
  std::string out = fmt::format("<header class=\"masthead\">\n<p class=\"brand\">lowtide</p>\n<h1>{}</h1>\n",
                                markup_text(subject(report), 200));
  std::string facts;
  const auto add = [&](const std::string& html) { facts += "<span>" + html + "</span>"; };
  if (report.source.started) add(markup_text(*report.source.started, 40));
  if (report.source.duration_s) add(base::format_seconds(*report.source.duration_s));
  if (report.source.steps) add(format_count(*report.source.steps) + " steps");
  add(markup_text(source_name(report.source), 200));
  if (report.ending == model::Ending::Running) add("the run goes on: this is the state so far");
  if (report.ending == model::Ending::CutOff) add("the recording breaks off");
  return out + "<p class=\"facts\">" + facts + "</p>\n</header>\n";
}

// What a person reads first: the answer, why, and what to do when that is open.
std::string answer(const model::Report& report, const model::SeriesReport& series) {
  const model::Verdict& verdict = report.verdict;
  const bool is_open = verdict.kind == VerdictKind::Inconclusive;
  std::string out = fmt::format(
      "<section id=\"verdict\" class=\"verdict {0}\">\n<p class=\"eyebrow\"><b class=\"kind\">{0}</b>",
      model::to_string(verdict.kind));
  if (!is_open && find_second(report) == nullptr)
    out += fmt::format("<span>confidence {}</span>", percent(verdict.confidence));
  if (is_open && verdict.lean) {
    out += fmt::format("<span>leaning {}, {}</span>", model::to_string(verdict.lean->kind),
                       percent(verdict.lean->confidence));
  }
  out += "</p>\n<h2>" + markup_text(sentence(headline(report)), 600) + "</h2>\n";
  out += "<p class=\"reason\">" + markup_text(sentence(verdict.reason), 1000) + "</p>\n";
  if (verdict.needs)
    out += "<p class=\"reason\">" + markup_text(sentence("needs " + *verdict.needs), 1000) + "</p>\n";
  if (report.forecast) {
    const char* const if_so =
        report.ending == model::Ending::Running ? "if it goes on, " : "had it gone on: ";
    out += "<p class=\"reason\">" + markup_text(sentence(if_so + forecast(*report.forecast, series)), 1000) +
           "</p>\n";
  }
  return out;
}

std::string figure(const std::string& name, const std::string& value, const std::string& note = "") {
  if (value.empty()) return "";
  return fmt::format("<div><dt>{}</dt><dd>{}</dd>{}</div>\n", name, markup_text(value, 200),
                     note.empty() ? "" : "<dd class=\"note\">" + markup_text(note, 200) + "</dd>");
}

std::string figures(const model::Report& report, const model::SeriesReport& series) {
  const model::Verdict& verdict = series.verdict;
  std::string out = "<dl class=\"figures\">\n";
  out += figure("Floor", floor_words(verdict.floor, true), "first to last");
  const bool is_flat = verdict.kind == VerdictKind::Stable || verdict.kind == VerdictKind::Spikes;
  if (!is_flat)
    out += figure(verdict.kind == VerdictKind::Warmup ? "Growth while it warmed up" : "Growth of the floor",
                  short_growth(series));
  if (verdict.warmup_end) out += figure("Warm-up ended", place(*verdict.warmup_end));
  if (verdict.plateau_bytes && !verdict.levels && !has_fallen(verdict))
    out += figure("Plateau", bytes_words(*verdict.plateau_bytes));
  if (verdict.spike_bytes) out += figure("Spikes", bytes_words(*verdict.spike_bytes), "above the floor");
  out += figure("Peak", bytes_words(series.peak_bytes));
  if (report.limit)
    out += figure(
        "Limit", limit_size(report.limit->bytes),
        report.limit->told_by_machine
            ? (report.limit->kind == model::LimitKind::Cgroup ? "of the cgroup" : "the memory of the host")
            : "");
  out += figure("Readings", format_count(verdict.samples), extent(series));
  return out + "</dl>\n</section>\n";
}

std::string page_events(const model::Report& report) {
  if (report.events.empty()) return "";
  constexpr std::size_t kFirst = 5;
  constexpr std::size_t kLast = 15;
  std::string out =
      "<section id=\"events\">\n<h2>Events</h2>\n<div "
      "class=\"scroll\"><table>\n<thead><tr><th>When</th><th>Kind</th><th>Text</th></tr></thead>\n<tbody>\n";
  const auto add = [&](const model::Event& event) {
    out += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n", markup_text(event_place(event), 60),
                       model::to_string(event.kind), markup_text(event.text));
  };
  const EventChoice choice = choose_events(report, kFirst, kLast);
  for (std::size_t at = 0; at < choice.first; ++at) add(report.events[at]);
  if (choice.between > 0)
    out += fmt::format("<tr><td>…</td><td></td><td>{} more between these</td></tr>\n",
                       format_count(choice.between));
  for (std::size_t at = report.events.size() - choice.last; at < report.events.size(); ++at)
    add(report.events[at]);
  return out + "</tbody></table></div>\n</section>\n";
}

// The scripts put a tree with curves in its place.
std::string page_processes(const model::Report& report) {
  const std::vector<ProcessRow> rows = process_rows(report);
  if (rows.empty()) return "";
  constexpr std::size_t kMostRows = 100;
  std::string out =
      "<section id=\"processes\">\n<h2>Processes</h2>\n<div class=\"scroll\" "
      "id=\"process-table\"><table>\n<thead><tr><th>Role</th><th>Pid</th>"
      "<th>Verdict</th><th>Floor</th><th>Share of the growth</th><th>Command</th></tr></thead>\n<tbody>\n";
  for (std::size_t at = 0; at < std::min(rows.size(), kMostRows); ++at) {
    const ProcessRow& row = rows[at];
    out += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                       markup_text(row.role), markup_text(row.pid), markup_text(row.verdict),
                       floor_words(row.floor, true), row.share.empty() ? "–" : markup_text(row.share),
                       markup_text(row.command, 200));
  }
  out += "</tbody></table></div>\n";
  if (rows.size() > kMostRows)
    out += fmt::format("<p class=\"note\">{} more are in the JSON report.</p>\n", rows.size() - kMostRows);
  return out + "</section>\n";
}

}  // namespace

std::string page_title(const model::Report& report) {
  return fmt::format("{}: memory of {}", model::to_string(report.verdict.kind),
                     markup_text(subject(report), 120));
}

std::string page_summary(const model::Report& report) {
  const model::SeriesReport* series = speaker(report);
  std::string out = masthead(report);
  if (series == nullptr) {
    return out + "<section id=\"verdict\" class=\"verdict inconclusive\">\n<h2>" +
           markup_text(sentence(report.verdict.reason), 600) + "</h2>\n</section>\n";
  }
  out += answer(report, *series) + figures(report, *series) + page_findings(report);
  // Where the pictures go; without scripts it stays empty.
  out += "<div id=\"pictures\"></div>\n";
  return out + page_processes(report) + page_events(report);
}

}  // namespace lowtide::show

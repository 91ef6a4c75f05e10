#include "show/markdown/parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "show/markdown/markdown.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

using base::format_count;

}  // namespace

std::string row(std::initializer_list<std::string> cells) {
  std::string out = "|";
  for (const std::string& cell : cells) out += " " + cell + " |";
  return out + "\n";
}

std::string evidence_table(const model::Report& report, const model::SeriesReport& series) {
  const model::Verdict& verdict = series.verdict;
  std::string out = "\n## Evidence\n\n" + row({"What", "Value"}) + "|---|---|\n";
  out += row({"Verdict",
              fmt::format("{}, confidence {}", model::to_string(verdict.kind), percent(verdict.confidence))});
  if (verdict.lean) {
    out += row({"Leaning", fmt::format("{}, {}", model::to_string(verdict.lean->kind),
                                       percent(verdict.lean->confidence))});
  }
  out += row({"Floor, first to last", floor_words(verdict.floor, true)});
  if (std::string words = growth(series); !words.empty()) {
    out +=
        row({verdict.kind == model::VerdictKind::Warmup ? "Growth while it warmed up" : "Growth of the floor",
             words});
  }
  if (verdict.warmup_end && !place(*verdict.warmup_end).empty()) {
    out += row({"Warm-up ended", place(*verdict.warmup_end)});
  }
  if (verdict.plateau_bytes && !verdict.levels && !has_fallen(verdict))
    out += row({"Plateau", bytes_words(*verdict.plateau_bytes)});
  if (verdict.spike_bytes) out += row({"Spikes above the floor", bytes_words(*verdict.spike_bytes)});
  out += row({"Peak", bytes_words(series.peak_bytes)});
  if (report.limit) {
    out += row({"Limit", limit_words(*report.limit, series)});
  }
  if (report.forecast) out += row({"Forecast", forecast(*report.forecast, series)});
  out += row({"Series", markdown_text(series.name)});
  out += row(
      {"Readings", format_count(verdict.samples) + (extent(series).empty() ? "" : ", " + extent(series))});
  return out;
}

std::string events_table(const model::Report& report) {
  constexpr std::size_t kFirst = 5;
  constexpr std::size_t kLast = 15;
  if (report.events.empty()) return "";
  std::string out =
      "\n## Events\n\n" +
      row({report.source.type == model::SourceType::Recording ? "When" : "Line", "Kind", "Text"}) +
      "|---|---|---|\n";
  const auto event_row = [&](const model::Event& event) {
    return row({report.source.type == model::SourceType::Recording ? event_place(event)
                                                                   : fmt::format("{}", event.line),
                std::string(model::to_string(event.kind)), markdown_text(event.text, 200)});
  };
  const EventChoice choice = choose_events(report, kFirst, kLast);
  for (std::size_t at = 0; at < choice.first; ++at) out += event_row(report.events[at]);
  if (choice.between > 0)
    out += row({"…", "", fmt::format("{} more between these", format_count(choice.between))});
  for (std::size_t at = report.events.size() - choice.last; at < report.events.size(); ++at)
    out += event_row(report.events[at]);
  return out;
}

std::string warning_place(const model::Warning& warning) {
  if (warning.first_line == 0) return "";
  if (warning.count == 1) return fmt::format(" (line {})", warning.first_line);
  return fmt::format(" ({} times, first on line {})", format_count(warning.count), warning.first_line);
}

}  // namespace lowtide::show

#include "show/markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "base/units.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

using base::format_bytes;
using base::format_count;

constexpr std::size_t kFirstEvents = 5;
constexpr std::size_t kLastEvents = 15;
constexpr std::size_t kMostRuns = 50;

std::string bytes_words(std::uint64_t bytes) {
  return format_bytes(static_cast<double>(bytes));
}

std::string row(std::initializer_list<std::string> cells) {
  std::string out = "|";
  for (const std::string& cell : cells) out += " " + cell + " |";
  return out + "\n";
}

std::string floor_words(const model::Verdict& verdict) {
  return fmt::format("{} → {}", bytes_words(verdict.floor.first_bytes),
                     bytes_words(verdict.floor.last_bytes));
}

std::string evidence(const model::Report& report, const model::SeriesReport& series) {
  const model::Verdict& verdict = series.verdict;
  std::string out = "\n## Evidence\n\n" + row({"What", "Value"}) + "|---|---|\n";
  out += row({"Verdict",
              fmt::format("{}, confidence {}", model::to_string(verdict.kind), percent(verdict.confidence))});
  if (verdict.lean) {
    out += row({"Leaning", fmt::format("{}, {}", model::to_string(verdict.lean->kind),
                                       percent(verdict.lean->confidence))});
  }
  out += row({"Floor, first to last", floor_words(verdict)});
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

std::string runs(const model::Report& report) {
  if (report.runs.size() < 2) return "";
  std::string out =
      "\n## Runs\n\n" + row({"Run", "Lines", "Floor", "Verdict", "Why"}) + "|---|---|---|---|---|\n";
  const std::size_t skipped = report.runs.size() > kMostRuns ? report.runs.size() - kMostRuns : 0;
  for (std::size_t at = 0; at < report.runs.size(); ++at) {
    const model::RunReport& run = report.runs[at];
    const bool speaks = at == report.speaking_run;
    if (run.series.empty() || (at < skipped && !speaks)) continue;
    const model::SeriesReport& series = run.series.front();
    std::string why = series.verdict.reason;
    if (series.verdict.needs) why += "; needs " + *series.verdict.needs;
    const std::string name = markdown_text(run.name, 80);
    out += row({speaks ? "**" + name + "**" : name, fmt::format("{}–{}", run.first_line, run.last_line),
                floor_words(series.verdict), brief(series), markdown_text(why)});
  }
  if (skipped > 0) out += fmt::format("\n{} earlier runs are left out here; the JSON has them.\n", skipped);
  return out + "\nThe run in bold speaks for the report: the latest one that could be judged.\n";
}

std::string other_series(const model::Report& report) {
  const auto& all = report.runs[report.speaking_run].series;
  if (all.size() < 2) return "";
  std::string out = "\n## Other series in this run\n\n" + row({"Series", "Floor", "Peak", "Verdict"}) +
                    "|---|---|---|---|\n";
  for (std::size_t at = 1; at < all.size(); ++at) {
    out += row({markdown_text(all[at].name, 80), floor_words(all[at].verdict),
                bytes_words(all[at].peak_bytes), brief(all[at])});
  }
  return out;
}

std::string events(const model::Report& report) {
  if (report.events.empty()) return "";
  std::string out = "\n## Events\n\n" + row({"Line", "Kind", "Text"}) + "|---|---|---|\n";
  const auto event_row = [](const model::Event& event) {
    return row({fmt::format("{}", event.line), std::string(model::to_string(event.kind)),
                markdown_text(event.text, 200)});
  };
  const EventChoice choice = choose_events(report, kFirstEvents, kLastEvents);
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

std::string basis(const model::Report& report, const model::SeriesReport& series) {
  std::string out = "\n## What this rests on\n\n";
  out += fmt::format("- {} reading{} in {} line{} of {}{}.\n", format_count(series.verdict.samples),
                     series.verdict.samples == 1 ? "" : "s", format_count(report.source.lines),
                     report.source.lines == 1 ? "" : "s", markdown_text(source_name(report.source)),
                     report.source.format.empty() ? "" : ", read as " + markdown_text(report.source.format));
  if (std::string why = why_it_speaks(report.runs[report.speaking_run]); !why.empty()) {
    out += fmt::format("- The verdict is that of {}.\n", markdown_text(why));
  }
  out += "- The numbers of the log alone: what allocates or keeps the memory cannot be seen in them.\n";
  for (const model::Warning& warning : report.warnings) {
    out += fmt::format("- Warning: {}{}.\n", markdown_text(warning.text), warning_place(warning));
  }
  return out;
}

}  // namespace

std::string markdown_text(std::string_view text, std::size_t max_bytes) {
  std::string out;
  const std::string clean = base::printable(text, max_bytes);
  for (std::size_t at = 0; at < clean.size(); ++at) {
    const char c = clean[at];
    const std::string_view rest = std::string_view(clean).substr(at);
    // The forges make links of these by themselves.
    if (rest.substr(0, 3) == "://") {
      out += "&#58;";
      continue;
    }
    if (rest.substr(0, 4) == "www.") {
      out += "www&#46;";
      at += 3;
      continue;
    }
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '@':  // a mention on the forges
        out += "&#64;";
        break;
      case '\\':
      case '`':
      case '*':
      case '_':
      case '[':
      case ']':
      case '|':
      case '#':
      case '!':
      case '~':
      case '$':
        out += '\\';
        out += c;
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string to_markdown(const model::Report& report) {
  const model::SeriesReport* series = speaker(report);
  std::string out = fmt::format("# Memory of {}\n\n", markdown_text(source_name(report.source)));
  if (series == nullptr) return out + "**" + sentence(report.verdict.reason) + "**\n" + events(report);

  const bool open = report.verdict.kind == model::VerdictKind::Inconclusive;
  out += fmt::format("**{}**{}\n\n", sentence(headline(report)),
                     open ? "" : fmt::format(" Confidence {}.", percent(report.verdict.confidence)));
  out += markdown_text(sentence(report.verdict.reason), 1000) + "\n";
  if (report.verdict.needs)
    out += "\n" + markdown_text(sentence("needs " + *report.verdict.needs), 1000) + "\n";
  out += evidence(report, *series);
  out += runs(report);
  out += other_series(report);
  out += events(report);
  out += basis(report, *series);
  out += "\n## What to do next\n\n" + markdown_text(sentence(advice(report)), 1000) + "\n";
  return out;
}

}  // namespace lowtide::show

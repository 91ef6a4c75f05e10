#include "show/markdown/markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "base/units.h"
#include "show/markdown/parts.h"
#include "show/markdown/watched.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

using base::format_count;

std::string runs_markdown(const model::Report& report) {
  constexpr std::size_t kMost = 50;
  if (report.runs.size() < 2) return "";
  std::string out =
      "\n## Runs\n\n" + row({"Run", "Lines", "Floor", "Verdict", "Why"}) + "|---|---|---|---|---|\n";
  const std::size_t skipped = report.runs.size() > kMost ? report.runs.size() - kMost : 0;
  for (std::size_t at = 0; at < report.runs.size(); ++at) {
    const model::RunReport& run = report.runs[at];
    const bool speaks = at == report.primary_run;
    if (run.series.empty() || (at < skipped && !speaks)) continue;
    const model::SeriesReport& series = run.series.front();
    std::string why = series.verdict.reason;
    if (series.verdict.needs) why += "; needs " + *series.verdict.needs;
    const std::string name = markdown_text(run.name, 80);
    out += row({speaks ? "**" + name + "**" : name, fmt::format("{}–{}", run.first_line, run.last_line),
                floor_words(series.verdict.floor, true), brief(series), markdown_text(why)});
  }
  if (skipped > 0) out += fmt::format("\n{} earlier runs are left out here; the JSON has them.\n", skipped);
  return out + "\nThe run in bold speaks for the report: the latest one that could be judged.\n";
}

std::string other_series(const model::Report& report) {
  const auto& all = report.runs[report.primary_run].series;
  if (all.size() < 2) return "";
  std::string out = "\n## Other series in this run\n\n" + row({"Series", "Floor", "Peak", "Verdict"}) +
                    "|---|---|---|---|\n";
  for (std::size_t at = 1; at < all.size(); ++at) {
    out += row({markdown_text(all[at].name, 80), floor_words(all[at].verdict.floor, true),
                base::format_bytes(static_cast<double>(all[at].peak_bytes)), brief(all[at])});
  }
  return out;
}

std::string log_basis_markdown(const model::Report& report, const model::SeriesReport& series) {
  std::string out = "\n## What this rests on\n\n";
  out += fmt::format("- {} reading{} in {} line{} of {}{}.\n", format_count(series.verdict.samples),
                     series.verdict.samples == 1 ? "" : "s", format_count(report.source.lines),
                     report.source.lines == 1 ? "" : "s", markdown_text(source_name(report.source)),
                     report.source.format.empty() ? "" : ", read as " + markdown_text(report.source.format));
  if (std::string why = why_primary(report.runs[report.primary_run]); !why.empty()) {
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
  if (report.source.type == model::SourceType::Recording) return watched_markdown(report);
  const model::SeriesReport* series = speaker(report);
  std::string out = fmt::format("# Memory of {}\n\n", markdown_text(source_name(report.source)));
  if (series == nullptr) return out + "**" + sentence(report.verdict.reason) + "**\n" + events_table(report);

  const bool open = report.verdict.kind == model::VerdictKind::Inconclusive;
  out += fmt::format("**{}**{}\n\n", sentence(headline(report)),
                     open ? "" : fmt::format(" Confidence {}.", percent(report.verdict.confidence)));
  out += markdown_text(sentence(report.verdict.reason), 1000) + "\n";
  if (report.verdict.needs)
    out += "\n" + markdown_text(sentence("needs " + *report.verdict.needs), 1000) + "\n";
  out += evidence_table(report, *series);
  out += runs_markdown(report);
  out += other_series(report);
  out += events_table(report);
  out += log_basis_markdown(report, *series);
  out += "\n## What to do next\n\n" + markdown_text(sentence(advice(report)), 1000) + "\n";
  return out;
}

}  // namespace lowtide::show

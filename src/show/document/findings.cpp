// What was found and what was ruled out; in Markdown also what to do next, what to watch, and where the
// numbers come from.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "show/document/report_sections.h"
#include "show/forecast_words.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

using base::format_count;
using base::printable;
using model::VerdictKind;

constexpr std::size_t kMostStep = 1000;

// "train.py:12", " in ", "step", ", kept by ", "history": code and words in turn.
std::vector<std::string> place_pieces(const model::Place& where) {
  std::vector<std::string> out;
  if (where.file) {
    out.push_back(printable(*where.file, 300) + (where.line ? fmt::format(":{}", *where.line) : ""));
    if (where.function) out.emplace_back(" in ");
  }
  if (where.function) out.push_back(printable(*where.function, 200));
  if (where.holder) {
    if (out.empty()) out.emplace_back();
    out.emplace_back(out.front().empty() ? "kept by " : ", kept by ");
    out.push_back(printable(*where.holder, 300));
  }
  return out;
}

// "21.5 GB `shards`, a dict of 20 items"
std::vector<std::string> part_words(const model::Finding& finding) {
  std::vector<std::string> out;
  for (const model::MemoryPart& each : finding.parts) {
    const std::string what = each.what.empty() ? "" : ", " + each.what;
    out.push_back(printable(fmt::format("{} {}{}", bytes_words(each.bytes), each.name, what), 200));
  }
  return out;
}

Claim claim_of(const model::Finding& finding) {
  constexpr Formats kDocuments = kMarkdown | kPage;
  Claim out{.severity = finding.severity, .title = finding.title};
  const auto fact = [&](Formats in, std::string value) {
    out.facts.push_back({.in = in, .value = std::move(value)});
  };
  fact(kMarkdown, fmt::format("severity {}", model::to_string(finding.severity)));
  fact(kDocuments, "confidence " + percent(finding.confidence));
  if (finding.share) fact(kDocuments, base::format_share(*finding.share) + " of the growth");
  if (finding.mechanism) {
    fact(kMarkdown, fmt::format("mechanism: {}", mechanism_words(*finding.mechanism)));
    fact(kPage, std::string(mechanism_words(*finding.mechanism)));
  }
  if (finding.pid) fact(kPage, fmt::format("pid {}", *finding.pid));

  const auto part = [&](Formats in, const char* label, const char* name, std::vector<std::string> texts,
                        Claim::Form form) {
    if (!texts.empty() && (texts.size() > 1 || !texts.front().empty()))
      out.parts.push_back({in, label, name, std::move(texts), form});
  };
  using enum Claim::Form;
  constexpr Formats kDone = kText | kPage;  // Markdown has its own section of what to do
  part(kText | kMarkdown, "- ", "", texts_of(finding.evidence), List);
  part(kText | kMarkdown, "held when it failed: ", "", part_words(finding), List);
  part(kText, "ruled out: ", "", excluded_words(finding.excluded), List);
  part(kPage, "", "Where", place_pieces(finding.where), Place);
  part(kDone, "fix: ", "Fix", {finding.fix}, Sentence);
  part(kDone, "code: ", "In code", {finding.hint}, Code);
  part(kPage, "", "Evidence", texts_of(finding.evidence), List);
  part(kPage, "", "Held when it failed", part_words(finding), List);
  part(kPage, "", "Ruled out", excluded_words(finding.excluded), List);
  part(kDone, "after the fix: ", "After the fix", {finding.watch}, Sentence);
  return out;
}

// " (3 times, first on line 77)"
std::string warning_place(const model::Warning& warning) {
  if (warning.first_line == 0) return "";
  if (warning.count == 1) return fmt::format(" (line {})", warning.first_line);
  return fmt::format(" ({} times, first on line {})", format_count(warning.count), warning.first_line);
}

std::string agent_words(const model::Report& report) {
  if (!report.overhead || report.overhead->agent == "off")
    return "what allocates or keeps the memory cannot be seen from outside";
  const model::OverheadReport& overhead = *report.overhead;
  std::string out =
      fmt::format("{} allocation samples of the agent in the job", format_count(overhead.allocation_samples));
  if (overhead.allocation_samples_dropped > 0)
    out += fmt::format(", of which {} were dropped", format_count(overhead.allocation_samples_dropped));
  if (overhead.agent == "switched-off") out += "; it switched itself off";
  if (!overhead.note.empty()) out += ": " + printable(overhead.note);
  return out;
}

void add_recording_basis(List& out, const model::Report& report, const model::SeriesReport& series) {
  const auto add = [&](std::string text) { out.items.push_back({.text = std::move(text)}); };
  add(fmt::format("{} readings of the process tree from outside{}, in {}",
                  format_count(series.verdict.samples), extent(series).empty() ? "" : ", " + extent(series),
                  source_name(report.source)));
  add(agent_words(report));
  if (report.short_lived.count > 0) {
    add(fmt::format("{} processes ended too soon for a verdict of their own",
                    format_count(report.short_lived.count)));
  }
  if (report.short_lived.unseen_at_least.value_or(0) > 0) {
    add(fmt::format("at least {} more processes started and ended between two readings",
                    format_count(*report.short_lived.unseen_at_least)));
  }
  if (report.ending == model::Ending::Running)
    add("the job is still running: the report is about its current state");
  if (report.overhead && report.overhead->monitor_cpu_share) {
    add(fmt::format("the monitor used {:.2f}% of one core{}", *report.overhead->monitor_cpu_share * 100,
                    report.overhead->monitor_rss_bytes
                        ? " and " + bytes_words(*report.overhead->monitor_rss_bytes) + " of memory"
                        : ""));
  }
}

void add_log_basis(List& out, const model::Report& report, const model::SeriesReport& series) {
  const auto add = [&](std::string text) { out.items.push_back({.text = std::move(text)}); };
  const auto counted = [](std::uint64_t count, const char* noun) {
    return fmt::format("{} {}{}", format_count(count), noun, count == 1 ? "" : "s");
  };
  add(fmt::format("{} in {} of {}{}", counted(series.verdict.samples, "reading"),
                  counted(report.source.lines, "line"), source_name(report.source),
                  report.source.format.empty() ? "" : ", read as " + printable(report.source.format)));
  if (const std::string why = why_primary(report.runs[report.primary_run]); !why.empty())
    add("the verdict is that of " + why);
  add("the numbers of the log alone: what allocates or keeps the memory cannot be seen in them");
}

}  // namespace

Section findings_section(const model::Report& report) {
  Claims out;
  for (const model::Finding& finding : report.findings) {
    if (!finding.ruled_out) out.claims.push_back(claim_of(finding));
  }
  return {.id = "findings", .label = "findings", .title = "Findings", .blocks = {std::move(out)}};
}

Section ruled_out_section(const model::Report& report) {
  List out;
  for (const model::Finding& finding : report.findings) {
    if (!finding.ruled_out) continue;
    Item item{.text = printable(finding.title), .is_strong = true};
    for (const model::Observation& seen : finding.evidence) item.more.push_back(printable(seen.text));
    out.items.push_back(std::move(item));
  }
  return {.id = "ruled-out",
          .label = "ruled out, or good to know",
          .title = "What was ruled out",
          .blocks = {std::move(out)}};
}

Section next_steps_section(const model::Report& report) {
  Section out{.title = "What to do next"};
  if (!is_recording(report)) {
    out.blocks = {Paragraph{.in = kMarkdown, .text = advice(report)}};
    return out;
  }
  List steps{.in = kMarkdown, .is_numbered = true};
  for (const model::Finding& finding : report.findings) {
    if (finding.fix.empty() || finding.ruled_out) continue;
    Item step{.text = printable(finding.fix, kMostStep)};
    const bool is_known = std::any_of(steps.items.begin(), steps.items.end(),
                                      [&](const Item& item) { return item.text == step.text; });
    if (!is_known) steps.items.push_back(std::move(step));
  }
  if (steps.items.empty()) steps.items.push_back({.text = advice(report)});
  out.blocks = {std::move(steps)};
  return out;
}

Section watch_section(const model::Report& report, const model::SeriesReport& series) {
  List out{.in = kMarkdown};
  const auto add = [&](std::string text) { out.items.push_back({.text = std::move(text)}); };
  const model::SeriesReport* tree = tree_series(report);
  if (report.limit && tree != nullptr && report.limit->bytes > 0) {
    const double share = static_cast<double>(tree->peak_bytes) / static_cast<double>(report.limit->bytes);
    add(fmt::format("the peak, {}, is {:.0f}% of {}{}", bytes_words(tree->peak_bytes), share * 100,
                    base::format_limit(report.limit->bytes), limit_source_suffix(*report.limit)));
  }
  if (report.forecast && report.ending == model::Ending::Running)
    add(forecast_words(*report.forecast, series, report.ending, report.limit));
  switch (report.verdict.kind) {
    case VerdictKind::Leak:
      add("after a fix, the floor of the process above: it must stay where it is after the warm-up");
      break;
    case VerdictKind::Inconclusive:
      add("the floor: " + model::longer_words("run", report.verdict));
      break;
    case VerdictKind::Warmup:
      add(fmt::format("the floor: it should stay at {}",
                      bytes_words(report.verdict.plateau_bytes.value_or(series.last_bytes))));
      break;
    case VerdictKind::Spikes:
    case VerdictKind::Stable:
      add(fmt::format("the peak, {}, if batches or sequences get larger", bytes_words(series.peak_bytes)));
      break;
  }
  return {.title = "What to watch", .blocks = {std::move(out)}};
}

Section basis_section(const model::Report& report, const model::SeriesReport& series) {
  List out{.in = kMarkdown};
  if (is_recording(report)) {
    add_recording_basis(out, report, series);
  } else {
    add_log_basis(out, report, series);
  }
  for (const model::Warning& warning : report.warnings)
    out.items.push_back({.text = "Warning: " + printable(warning.text) + warning_place(warning)});
  return {.title = "What this report is based on", .blocks = {std::move(out)}};
}

}  // namespace lowtide::show

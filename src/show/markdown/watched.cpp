#include "show/markdown/watched.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/units.h"
#include "show/markdown/markdown.h"
#include "show/markdown/parts.h"
#include "show/markdown/sites.h"
#include "show/rows/processes.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

using base::format_bytes;
using base::format_count;
using model::VerdictKind;

std::string summary(const model::Report& report, const model::SeriesReport& series) {
  const bool open = report.verdict.kind == VerdictKind::Inconclusive;
  std::string out = "## Summary\n\n";
  out += fmt::format("**{}**{}\n\n", sentence(headline(report)),
                     open || find_second(report) != nullptr
                         ? ""
                         : fmt::format(" Confidence {}.", percent(report.verdict.confidence)));
  out += markdown_text(sentence(report.verdict.reason), 1000);
  if (report.verdict.needs) out += " " + markdown_text(sentence("needs " + *report.verdict.needs), 1000);
  if (report.forecast) {
    const char* const if_so =
        report.ending == model::Ending::Running ? "if it goes on, " : "had it gone on: ";
    out += " " + markdown_text(sentence(if_so + forecast(*report.forecast, series)), 1000);
  }
  out += "\n";
  for (const model::Finding& finding : report.findings) {
    if (finding.severity > model::Severity::High || finding.ruled_out) continue;
    out += "\n" + markdown_text(sentence(finding.title), 400) + "\n";
  }
  return out;
}

std::string mechanisms(const model::Report& report) {
  if (!report.growth || report.growth->explained_share.value_or(0) <= 0) return "";
  std::string out =
      "\n## What the growth is made of\n\n" + row({"Mechanism", "Bytes", "Share"}) + "|---|---|---|\n";
  for (const model::MechanismShare& part : report.growth->mechanisms) {
    out += row({std::string(model::to_string(part.mechanism)), bytes_words(part.bytes), percent(part.share)});
  }
  return out;
}

std::string processes_markdown(const model::Report& report) {
  const std::vector<ProcessRow> rows = process_rows(report);
  if (rows.empty()) return "";
  constexpr std::size_t kMostRows = 50;
  std::string out =
      "\n## Verdict per process\n\n" +
      row({"Role", "Pid", "Verdict", "Floor", "Rate", "Share of the growth", "PSS", "Command"}) +
      "|---|---|---|---|---|---|---|---|\n";
  const std::size_t shown = std::min(rows.size(), kMostRows);
  for (std::size_t at = 0; at < shown; ++at) {
    const ProcessRow& one = rows[at];
    out += row({one.role, one.pid, one.kind == VerdictKind::Leak ? "**leak**" : one.verdict,
                floor_words(one.floor, true), one.rate.empty() ? "–" : one.rate,
                one.share.empty() ? "–" : one.share, one.pss, markdown_text(one.command)});
  }
  if (shown < rows.size()) out += fmt::format("\n{} more are in the JSON.\n", rows.size() - shown);
  return out +
         "\nThe floor is of what each process alone is to blame for; pages that are shared count once.\n";
}

std::string phases_markdown(const model::Report& report) {
  if (report.phases.size() < 2) return "";  // one alone says nothing
  std::string out =
      "\n## Phases\n\n" + row({"Phase", "Pid", "Visits", "Kept", "Peak"}) + "|---|---|---|---|---|\n";
  for (const model::PhaseReport& told : report.phases) {
    out += row({markdown_text(told.phase.name, 40), fmt::format("{}", told.pid),
                format_count(told.phase.count), bytes_words(told.phase.kept_bytes),
                told.phase.peak_bytes > 0 ? bytes_words(told.phase.peak_bytes) : "–"});
  }
  return out + "\nKept is what was allocated in a phase and is still alive.\n";
}

std::string findings_markdown(const model::Report& report) {
  std::string out;
  for (const model::Finding& finding : report.findings) {
    if (finding.ruled_out) continue;
    out += fmt::format("\n### {}\n\n", markdown_text(sentence(finding.title), 400));
    std::string facts = fmt::format("Severity {}, confidence {}", model::to_string(finding.severity),
                                    percent(finding.confidence));
    if (finding.share) facts += fmt::format(", {} of the growth", percent(*finding.share));
    if (finding.mechanism) facts += fmt::format(", mechanism: {}", model::to_string(*finding.mechanism));
    out += facts + ".\n\n";
    for (const std::string& text : finding.evidence) out += "- " + markdown_text(sentence(text), 400) + "\n";
  }
  return out.empty() ? "" : "\n## Findings\n" + out;
}

std::string ruled_out(const model::Report& report) {
  std::string out;
  for (const model::Finding& finding : report.findings) {
    if (!finding.ruled_out) continue;
    out += "- **" + markdown_text(sentence(finding.title), 400) + "**";
    for (const std::string& text : finding.evidence) out += " " + markdown_text(sentence(text), 400);
    out += "\n";
  }
  return out.empty() ? "" : "\n## What was ruled out\n\n" + out;
}

std::string where_the_memory_is(const model::Report& report) {
  if (!report.reconciliation) return "";
  const model::Reconciliation& sum = *report.reconciliation;
  std::string out = "\n## Where the memory is\n\n" + row({"What", "Bytes"}) + "|---|---|\n";
  out +=
      row({"The tree: anonymous and shared memory, shared pages counted once", bytes_words(sum.tree_bytes)});
  out += row({"Page cache, that the kernel takes back when it must", bytes_words(sum.cache_bytes)});
  out += row({"Kernel memory", bytes_words(sum.kernel_bytes)});
  out += row({"Rest: others in the cgroup, and what the readings differ by",
              format_bytes(static_cast<double>(sum.rest_bytes))});
  out += row({"**What the cgroup counts**", bytes_words(sum.current_bytes)});
  return out +
         fmt::format("\nRead {} into the run{}.\n", base::format_seconds(sum.at_s),
                     sum.exact ? "" : ", the tree carried on by cheap counters since its last exact reading");
}

std::string next_steps(const model::Report& report) {
  std::vector<std::string> steps;
  for (const model::Finding& finding : report.findings) {
    if (finding.fix.empty() || finding.ruled_out) continue;
    if (std::find(steps.begin(), steps.end(), finding.fix) == steps.end()) steps.push_back(finding.fix);
  }
  if (steps.empty()) steps.push_back(advice(report));
  std::string out = "\n## What to do next\n\n";
  for (std::size_t at = 0; at < steps.size(); ++at) {
    out += fmt::format("{}. {}\n", at + 1, markdown_text(sentence(steps[at]), 1000));
  }
  return out;
}

std::string to_watch(const model::Report& report, const model::SeriesReport& series) {
  std::vector<std::string> points;
  const model::SeriesReport* tree = tree_series(report);
  if (report.limit && tree != nullptr && report.limit->bytes > 0) {
    const double share = static_cast<double>(tree->peak_bytes) / static_cast<double>(report.limit->bytes);
    points.push_back(fmt::format("the peak, {}, is {:.0f} % of {}{}", bytes_words(tree->peak_bytes),
                                 share * 100, limit_size(report.limit->bytes),
                                 limit_source_suffix(*report.limit)));
  }
  if (report.forecast && report.ending == model::Ending::Running)
    points.push_back(forecast(*report.forecast, series));
  switch (report.verdict.kind) {
    case VerdictKind::Leak:
      points.emplace_back(
          "after a fix, the floor of the process above: it must stay where it is after the warm-up");
      break;
    case VerdictKind::Inconclusive:
      points.push_back(report.verdict.needs ? "the floor for " + *report.verdict.needs
                                            : "the floor, for longer");
      break;
    case VerdictKind::Warmup:
      points.push_back(fmt::format("the floor: it should stay at {}",
                                   bytes_words(report.verdict.plateau_bytes.value_or(series.last_bytes))));
      break;
    case VerdictKind::Spikes:
    case VerdictKind::Stable:
      points.push_back(
          fmt::format("the peak, {}, if batches or sequences get larger", bytes_words(series.peak_bytes)));
      break;
  }
  std::string out = "\n## What to watch\n\n";
  for (const std::string& text : points) out += "- " + markdown_text(sentence(text), 1000) + "\n";
  return out;
}

std::string agent_words(const model::Report& report) {
  if (!report.overhead || report.overhead->agent == "off") {
    return "- What allocates or keeps the memory cannot be seen from outside.\n";
  }
  const model::OverheadReport& overhead = *report.overhead;
  std::string out = fmt::format("- {} allocation samples of the agent in the job",
                                format_count(overhead.allocation_samples));
  if (overhead.allocation_samples_dropped > 0) {
    out += fmt::format(", of which {} were dropped", format_count(overhead.allocation_samples_dropped));
  }
  out += overhead.agent == "switched-off" ? "; it switched itself off" : "";
  if (!overhead.note.empty()) out += ": " + markdown_text(overhead.note);
  return out + ".\n";
}

std::string recording_basis_markdown(const model::Report& report, const model::SeriesReport& series) {
  std::string out = "\n## What this rests on\n\n";
  out += fmt::format(
      "- {} readings of the process tree from outside{}, in {}.\n", format_count(series.verdict.samples),
      extent(series).empty() ? "" : ", " + extent(series), markdown_text(source_name(report.source)));
  out += agent_words(report);
  if (report.short_lived.count > 0) {
    out += fmt::format("- {} processes lived too briefly to be judged one by one.\n",
                       format_count(report.short_lived.count));
  }
  if (report.short_lived.unseen_at_least.value_or(0) > 0) {
    out += fmt::format("- At least {} more came and went between two readings.\n",
                       format_count(*report.short_lived.unseen_at_least));
  }
  if (report.ending == model::Ending::Running) out += "- The run goes on: this is the state so far.\n";
  if (report.overhead && report.overhead->monitor_cpu_share) {
    out +=
        fmt::format("- The monitor took {:.2f} % of one core{}.\n", *report.overhead->monitor_cpu_share * 100,
                    report.overhead->monitor_rss_bytes
                        ? " and " + bytes_words(*report.overhead->monitor_rss_bytes) + " of memory"
                        : "");
  }
  for (const model::Warning& warning : report.warnings) {
    out += fmt::format("- Warning: {}{}.\n", markdown_text(warning.text), warning_place(warning));
  }
  return out;
}

}  // namespace

std::string watched_markdown(const model::Report& report) {
  const std::string what = report.source.command.empty() ? source_name(report.source) : report.source.command;
  std::string out = fmt::format("# Memory of {}\n\n", markdown_text(what, 120));
  const model::SeriesReport* series = speaker(report);
  if (series == nullptr) return out + "**" + markdown_text(sentence(report.verdict.reason)) + "**\n";
  out += summary(report, *series);
  out += evidence_table(report, *series);
  out += mechanisms(report);
  out += processes_markdown(report);
  out += phases_markdown(report);
  out += sites_markdown(report);
  out += findings_markdown(report);
  out += ruled_out(report);
  out += where_the_memory_is(report);
  out += events_table(report);
  out += next_steps(report);
  out += to_watch(report, *series);
  return out + recording_basis_markdown(report, *series);
}

}  // namespace lowtide::show

// The processes of a watched job, its phases, and where the memory of its cgroup is.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "show/document/report_sections.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

constexpr std::size_t kCrowd = 5;
constexpr std::size_t kLongestCommand = 60;

using model::ProcessReport;
using model::VerdictKind;

struct ProcessRow {
  std::string role;
  std::string pid;  // or "20 of them"
  std::string verdict;
  model::VerdictKind kind = VerdictKind::Inconclusive;
  model::Floor floor;
  std::string rate = std::string(kNoValue);
  std::string share = std::string(kNoValue);  // of the tree's growth
  std::string pss;                            // "?" if it was never read; "1.2 GB at 40.0 s" if not lately
  std::string command;
};

bool does_not_grow(const ProcessReport& process) {
  const VerdictKind kind = process.series.verdict.kind;
  return kind == VerdictKind::Stable || kind == VerdictKind::Warmup || kind == VerdictKind::Spikes;
}

bool is_alike(const ProcessReport& a, const ProcessReport& b) {
  return a.info.role == b.info.role && a.info.command == b.info.command && does_not_grow(a) &&
         does_not_grow(b);
}

// When PSS was last read, where that was well before the last reading: PSS is expensive to read. Of an ended
// process the last reading is its end.
std::optional<double> old_pss_s(const ProcessReport& process) {
  constexpr double kOldS = 5;
  const double age_s = process.bytes.pss_age_s.value_or(0);
  if (age_s < kOldS || !process.series.last_s) return std::nullopt;
  return std::max(0.0, *process.series.last_s - age_s);
}

std::string pss_words(double pss_bytes, const std::optional<double>& old_s) {
  const std::string words = base::format_bytes(pss_bytes);
  return old_s ? fmt::format("{} at {}", words, base::format_seconds(*old_s)) : words;
}

ProcessRow process_row(const ProcessReport& process) {
  const bool grows = process.series.verdict.kind == VerdictKind::Leak ||
                     process.series.verdict.kind == VerdictKind::Inconclusive;
  ProcessRow row;
  row.role = role_name(process.info);
  row.pid = fmt::format("{}", process.info.pid);
  // The rate stands in a column of its own.
  const model::Verdict& verdict = process.series.verdict;
  const bool has_lean = verdict.kind == VerdictKind::Inconclusive && verdict.lean;
  row.verdict = verdict.kind == VerdictKind::Leak ? "leak"
                : has_lean                        ? lean_words(*verdict.lean)
                                                  : brief(process.series);
  row.kind = verdict.kind;
  row.floor = process.series.verdict.floor;
  if (const std::string rate = rate_words(process.series); grows && !rate.empty()) row.rate = rate;
  if (process.growth_share) row.share = base::format_share(*process.growth_share);
  row.pss = process.bytes.pss_bytes
                ? pss_words(static_cast<double>(*process.bytes.pss_bytes), old_pss_s(process))
                : "?";
  row.command = base::printable(process.info.command, kLongestCommand);
  if (process.processes > 1) row.command += fmt::format(" (respawned {} times)", process.processes - 1);
  return row;
}

ProcessRow crowd_row(const std::vector<const ProcessReport*>& crowd) {
  ProcessRow row = process_row(*crowd.front());
  row.role = std::string(crowd.front()->info.role == model::ProcessRole::Other
                             ? "process"
                             : model::to_string(crowd.front()->info.role));
  row.pid = fmt::format("{} of them", crowd.size());
  row.verdict = "no leak";
  row.kind = VerdictKind::Stable;
  row.floor = {};
  double pss = 0;
  double share = 0;
  std::optional<double> old_s;  // the earliest
  bool known = true;
  for (const ProcessReport* process : crowd) {
    row.floor.first_bytes += process->series.verdict.floor.first_bytes;
    row.floor.last_bytes += process->series.verdict.floor.last_bytes;
    known = known && process->bytes.pss_bytes.has_value();
    pss += static_cast<double>(process->bytes.pss_bytes.value_or(0));
    const auto one_s = old_pss_s(*process);
    if (one_s) old_s = old_s ? std::min(*old_s, *one_s) : *one_s;
    share += process->growth_share.value_or(0);
  }
  row.pss = known ? pss_words(pss, old_s) : "?";
  if (row.share != kNoValue) row.share = base::format_share(share);
  row.command = base::printable(crowd.front()->info.command, kLongestCommand);
  return row;
}

// As the report has them, but a crowd of one kind that does not grow is one row.
std::vector<ProcessRow> process_rows(const model::Report& report) {
  std::vector<ProcessRow> rows;
  std::vector<bool> done(report.processes.size(), false);
  for (std::size_t at = 0; at < report.processes.size(); ++at) {
    if (done[at]) continue;
    std::vector<const ProcessReport*> crowd;
    for (std::size_t other = at; other < report.processes.size(); ++other) {
      if (!done[other] && is_alike(report.processes[at], report.processes[other])) {
        crowd.push_back(&report.processes[other]);
      }
    }
    if (crowd.size() < kCrowd) {
      rows.push_back(process_row(report.processes[at]));
      continue;
    }
    rows.push_back(crowd_row(crowd));
    for (std::size_t other = at; other < report.processes.size(); ++other) {
      if (is_alike(report.processes[at], report.processes[other])) done[other] = true;
    }
  }
  return rows;
}

std::string peak_words(std::uint64_t bytes) {
  return bytes > 0 ? bytes_words(bytes) : std::string(kNoValue);
}

// The processes that the agent is not in although it should be.
List not_entered_list(const model::OverheadReport& overhead) {
  constexpr std::size_t kMostLines = 10;
  List out;
  const std::size_t shown = std::min(overhead.not_entered.size(), kMostLines);
  for (std::size_t at = 0; at < shown; ++at) {
    out.items.push_back({.text = "not entered: " + base::printable(overhead.not_entered[at])});
  }
  if (overhead.not_entered_count > shown) {
    out.items.push_back({.text = fmt::format("not entered: {} more processes",
                                             base::format_count(overhead.not_entered_count - shown))});
  }
  return out;
}

}  // namespace

Section processes_section(const model::Report& report) {
  constexpr std::size_t kRoomForRates = 30;
  constexpr std::size_t kRoomForPss = 40;
  constexpr std::size_t kRoomForFloors = 72;
  constexpr std::size_t kRoomForCommands = 90;
  Table table{.columns = {{"role"},
                          {"pid"},
                          {"verdict"},
                          {"floor", kEverywhere, kRoomForFloors},
                          {"rate", kText | kMarkdown, kRoomForRates},
                          {"share of the growth", kMarkdown | kPage},
                          {"PSS", kText | kMarkdown, kRoomForPss},
                          {"command", kEverywhere, kRoomForCommands}},
              .text = {.first = 16},
              .markdown = {.first = 50},
              .page = {.first = 100},
              .id = "process-table"};
  for (const ProcessRow& row : process_rows(report)) {
    TableRow& out = table.rows.emplace_back();
    out.cells = {row.role, row.pid,   row.verdict, floor_words(row.floor),
                 row.rate, row.share, row.pss,     row.command};
    if (row.kind == VerdictKind::Leak) out.strong_cell = 2;
  }
  Section out = table_section("processes", std::move(table));
  out.id = "processes";
  out.title = "Verdict per process";
  if (!report.processes.empty()) {
    out.blocks.emplace_back(Paragraph{.in = kMarkdown,
                                      .text = "the floor of a process counts its private memory and the "
                                              "shared memory that it maps; PSS divides a "
                                              "shared page among the processes that map it"});
  }
  if (report.overhead && report.overhead->not_entered_count > 0) {
    out.blocks.emplace_back(not_entered_list(*report.overhead));
  }
  return out;
}

Section phases_section(const model::Report& report) {
  if (report.phases.size() < 2) return {};  // a single phase shows nothing
  constexpr Formats kBoth = kText | kMarkdown;
  Table table{.in = kBoth, .columns = {{"phase"}, {"pid"}, {"visits"}, {"kept"}, {"peak"}}};
  for (const model::PhaseReport& visited : report.phases) {
    table.rows.push_back({{base::printable(visited.phase.name, 40), std::to_string(visited.pid),
                           base::format_count(visited.phase.count), bytes_words(visited.phase.kept_bytes),
                           peak_words(visited.phase.peak_bytes)}});
  }
  Section out = table_section("phases", std::move(table));
  out.blocks.emplace_back(Paragraph{
      .in = kMarkdown, .text = "kept: memory that was allocated in the phase and was not freed later"});
  return out;
}

Section memory_sentence_section(const model::Report& report) {
  if (!report.reconciliation) return {};
  const model::Reconciliation& sum = *report.reconciliation;
  const std::int64_t rest = sum.rest_bytes;
  const std::string words = fmt::format(
      "process tree {} + page cache {} + kernel {} {} rest {} = cgroup {}", bytes_words(sum.tree_bytes),
      bytes_words(sum.cache_bytes), bytes_words(sum.kernel_bytes), rest < 0 ? "-" : "+",
      bytes_words(static_cast<std::uint64_t>(rest < 0 ? -rest : rest)), bytes_words(sum.current_bytes));
  // The floor is that of the whole run: beside it, the time of this reading is needed.
  return {.label = "where the memory was at " + base::format_seconds(sum.at_s),
          .blocks = {Paragraph{.in = kText, .text = words}}};
}

Section memory_table_section(const model::Report& report) {
  if (!report.reconciliation) return {};
  const model::Reconciliation& sum = *report.reconciliation;
  Table table{.in = kMarkdown, .columns = {{"what"}, {"bytes"}}};
  table.rows = {
      {{"Process tree: anonymous and shared memory, shared pages counted once", bytes_words(sum.tree_bytes)}},
      {{"Page cache, which the kernel can reclaim", bytes_words(sum.cache_bytes)}},
      {{"Kernel memory", bytes_words(sum.kernel_bytes)}},
      {{"Rest: other processes in the cgroup, and changes between the readings",
        base::format_bytes(static_cast<double>(sum.rest_bytes))}},
      {{"Total of the cgroup", bytes_words(sum.current_bytes)}, 0}};
  const std::string read = fmt::format(
      "read {} into the run{}", base::format_seconds(sum.at_s),
      sum.exact ? "" : "; the process tree is estimated from its last PSS and the change of RSS since then");
  return {.title = "Where the memory is",
          .blocks = {std::move(table), Paragraph{.in = kMarkdown, .text = read}}};
}

}  // namespace lowtide::show

#include "show/terminal/watched_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "base/units.h"
#include "show/rows/processes.h"
#include "show/terminal/layout.h"
#include "show/terminal/site_text.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

using base::format_bytes;
using base::printable;

constexpr std::size_t kMostProcesses = 16;
constexpr std::size_t kMostFindings = 12;
constexpr std::size_t kRoomForFloors = 72;
constexpr std::size_t kRoomForCommands = 90;  // columns below which the command is left out

Role role_of_severity(model::Severity severity) {
  switch (severity) {
    case model::Severity::Critical:
    case model::Severity::High:
      return Role::Leak;
    case model::Severity::Medium:
      return Role::Unsure;
    case model::Severity::Low:
    case model::Severity::Info:
      break;
  }
  return Role::Dim;
}

std::string heading(const Paint& paint, std::string_view text) {
  return "\n" + paint(Role::Heading, text) + "\n";
}

std::string processes_text(const model::Report& report, const TextOptions& options, const Paint& paint,
                           std::size_t width) {
  const std::vector<ProcessRow> rows = process_rows(report);
  if (rows.empty()) return "";
  const bool commands = width >= kRoomForCommands;
  const bool floors = width >= kRoomForFloors;
  std::vector<std::vector<std::string>> cells{{"role", "pid", "verdict"}};
  if (floors) cells.front().emplace_back("floor");
  cells.front().insert(cells.front().end(), {"rate", "PSS"});
  if (commands) cells.front().emplace_back("command");
  const std::size_t shown = std::min(rows.size(), kMostProcesses);
  for (std::size_t at = 0; at < shown; ++at) {
    const ProcessRow& row = rows[at];
    cells.push_back({row.role, row.pid, row.verdict});
    if (floors) cells.back().push_back(floor_words(row.floor, options.unicode));
    cells.back().insert(cells.back().end(), {row.rate.empty() ? "-" : row.rate, row.pss});
    if (commands) cells.back().push_back(row.command);
  }
  std::string out = heading(paint, "processes");
  bool first = true;
  for (const std::string& line : table(cells, width - 2)) {
    out += "  " + (first ? paint(Role::Dim, line) : line) + "\n";
    first = false;
  }
  if (rows.size() > shown) out += fmt::format("  and {} more (--json has them all)\n", rows.size() - shown);
  return out;
}

std::string phases_text(const model::Report& report, const Paint& paint, std::size_t width) {
  if (report.phases.size() < 2) return "";  // one alone says nothing
  std::vector<std::vector<std::string>> cells{{"phase", "pid", "visits", "kept", "peak"}};
  for (const model::PhaseReport& told : report.phases) {
    cells.push_back(
        {printable(told.phase.name, 32), fmt::format("{}", told.pid), base::format_count(told.phase.count),
         format_bytes(static_cast<double>(told.phase.kept_bytes)),
         told.phase.peak_bytes > 0 ? format_bytes(static_cast<double>(told.phase.peak_bytes)) : "-"});
  }
  std::string out = heading(paint, "phases");
  bool first = true;
  for (const std::string& line : table(cells, width - 2)) {
    out += "  " + (first ? paint(Role::Dim, line) : line) + "\n";
    first = false;
  }
  return out;
}

std::string reconciliation_text(const model::Report& report, const Paint& paint, std::size_t width) {
  if (!report.reconciliation) return "";
  const model::Reconciliation& sum = *report.reconciliation;
  const auto bytes = [](std::uint64_t value) { return format_bytes(static_cast<double>(value)); };
  const std::string words = fmt::format(
      "{} of the tree + {} page cache + {} kernel {} {} rest = {}, what the cgroup counts",
      bytes(sum.tree_bytes), bytes(sum.cache_bytes), bytes(sum.kernel_bytes), sum.rest_bytes < 0 ? "-" : "+",
      format_bytes(static_cast<double>(sum.rest_bytes < 0 ? -sum.rest_bytes : sum.rest_bytes)),
      bytes(sum.current_bytes));
  std::string out = heading(paint, "where the memory is");
  for (const std::string& line : wrap(words, width - 2)) out += "  " + line + "\n";
  return out;
}

void add_finding(std::string& out, const model::Finding& finding, const Paint& paint, std::size_t width) {
  constexpr std::size_t kIndent = 14;
  const std::string label = pad_right(model::to_string(finding.severity), kIndent - 4);
  bool first = true;
  for (const std::string& line : wrap(printable(finding.title, 400), width - kIndent + 2)) {
    out += first ? "  " + paint(role_of_severity(finding.severity), label) + line + "\n"
                 : std::string(kIndent - 2, ' ') + line + "\n";
    first = false;
  }
  const auto indented = [&](const std::string& mark, const std::string& text) {
    bool begin = true;
    for (const std::string& line : wrap(text, width - kIndent - mark.size())) {
      out += std::string(kIndent - 2, ' ') + (begin ? mark : std::string(mark.size(), ' ')) + line + "\n";
      begin = false;
    }
  };
  for (const std::string& text : finding.evidence) indented("- ", printable(text, 400));
  for (const std::string& text : finding.excluded) indented("not: ", printable(text, 400));
  if (!finding.fix.empty()) indented("fix: ", printable(finding.fix, 400));
  if (!finding.hint.empty()) indented("code: ", printable(finding.hint, 400));
  if (!finding.watch.empty()) indented("then: ", printable(finding.watch, 400));
}

std::string findings_text(const model::Report& report, const Paint& paint, std::size_t width) {
  std::string told;
  std::string ruled_out;
  std::size_t count = 0;
  for (const model::Finding& finding : report.findings) {
    if (finding.ruled_out) {
      bool first = true;
      for (const std::string& line : wrap(printable(finding.title, 400), width - 4)) {
        ruled_out += (first ? "  - " : "    ") + line + "\n";
        first = false;
      }
    } else if (count++ < kMostFindings) {
      add_finding(told, finding, paint, width);
    }
  }
  std::string out;
  if (!told.empty()) out += heading(paint, "findings") + told;
  if (count > kMostFindings)
    out += fmt::format("  and {} more (--json has them all)\n", count - kMostFindings);
  if (!ruled_out.empty()) out += heading(paint, "ruled out, or good to know") + ruled_out;
  return out;
}

}  // namespace

std::string watched_text(const model::Report& report, const TextOptions& options, const Paint& paint,
                         std::size_t width) {
  return processes_text(report, options, paint, width) + phases_text(report, paint, width) +
         site_text(report, options, paint, width) + reconciliation_text(report, paint, width) +
         findings_text(report, paint, width);
}

}  // namespace lowtide::show

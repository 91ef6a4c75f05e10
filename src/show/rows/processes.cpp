#include "show/rows/processes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

constexpr std::size_t kCrowd = 5;
constexpr std::size_t kLongestCommand = 60;

using model::ProcessReport;
using model::VerdictKind;

bool does_not_grow(const ProcessReport& process) {
  const VerdictKind kind = process.series.verdict.kind;
  return kind == VerdictKind::Stable || kind == VerdictKind::Warmup || kind == VerdictKind::Spikes;
}

bool is_alike(const ProcessReport& a, const ProcessReport& b) {
  return a.info.role == b.info.role && a.info.command == b.info.command && does_not_grow(a) &&
         does_not_grow(b);
}

// PSS is dear and not read at every tick: an old figure says how old it is.
std::string pss_words(double pss_bytes, double age_s) {
  constexpr double kOldS = 5;
  const std::string words = base::format_bytes(pss_bytes);
  return age_s < kOldS ? words : fmt::format("{}, {} old", words, base::format_seconds(age_s));
}

ProcessRow process_row(const ProcessReport& process) {
  const bool grows = process.series.verdict.kind == VerdictKind::Leak ||
                     process.series.verdict.kind == VerdictKind::Inconclusive;
  ProcessRow row;
  row.role = role_name(process.info);
  row.pid = fmt::format("{}", process.info.pid);
  // The rate stands in a column of its own.
  row.verdict = process.series.verdict.kind == VerdictKind::Leak ? "leak" : brief(process.series);
  row.kind = process.series.verdict.kind;
  row.floor = process.series.verdict.floor;
  if (grows) row.rate = short_growth(process.series);
  if (process.growth_share) row.share = fmt::format("{:.0f} %", *process.growth_share * 100);
  row.pss = process.bytes.pss_bytes ? pss_words(static_cast<double>(*process.bytes.pss_bytes),
                                                process.bytes.pss_age_s.value_or(0))
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
  double age_s = 0;
  bool known = true;
  for (const ProcessReport* process : crowd) {
    row.floor.first_bytes += process->series.verdict.floor.first_bytes;
    row.floor.last_bytes += process->series.verdict.floor.last_bytes;
    known = known && process->bytes.pss_bytes.has_value();
    pss += static_cast<double>(process->bytes.pss_bytes.value_or(0));
    age_s = std::max(age_s, process->bytes.pss_age_s.value_or(0));
    share += process->growth_share.value_or(0);
  }
  row.pss = known ? pss_words(pss, age_s) : "?";
  if (!row.share.empty()) row.share = fmt::format("{:.0f} %", std::min(share, 1.0) * 100);
  row.command = base::printable(crowd.front()->info.command, kLongestCommand);
  return row;
}

}  // namespace

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

}  // namespace lowtide::show

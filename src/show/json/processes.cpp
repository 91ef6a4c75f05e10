#include "show/json/processes.h"

#include <map>

namespace lowtide::show {
namespace {

using model::Report;
using model::SeriesReport;

// A process that goes on through several runs of a log is listed once, as it was last seen.
std::vector<ListedProcess> processes_of_log(const Report& report) {
  std::vector<ListedProcess> list;
  std::map<std::int64_t, std::size_t> index;
  for (const model::RunReport& run : report.runs) {
    for (const SeriesReport& series : run.series) {
      if (!series.pid || series.quantity != model::Quantity::ProcessMemory) continue;
      const auto [found, is_new] = index.emplace(*series.pid, list.size());
      if (is_new) list.push_back({series});
      list[found->second].series = series;
    }
  }
  return list;
}

}  // namespace

std::vector<ListedProcess> processes_of(const Report& report) {
  if (report.source.type != model::SourceType::Recording) return processes_of_log(report);
  std::vector<ListedProcess> list;
  for (const model::ProcessReport& process : report.processes) list.push_back({process.series, &process});
  return list;
}

}  // namespace lowtide::show

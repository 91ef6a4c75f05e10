#include "show/json/json.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/floor.h"
#include "show/json/holders.h"
#include "show/json/sites.h"
#include "show/json/values.h"
#include "show/json/watched.h"

namespace lowtide::show {
namespace {

Json process(const model::SeriesReport& series) {
  return {{"pid", *series.pid},
          {"ppid", nullptr},
          {"role", nullptr},
          {"command", text_or_null(series.command)},
          {"started_s", nullptr},  // a log tells when a process was read, not when it began
          {"ended_s", nullptr},
          {"exit", nullptr},
          {"verdict", to_json(series.verdict)},
          {"bytes",
           {{"rss", series.last_bytes},
            {"pss", nullptr},
            {"uss", nullptr},
            {"anon", nullptr},
            {"file", nullptr},
            {"shmem", nullptr},
            {"swap", nullptr}}}};
}

// A process that goes on through several runs of a log is listed once, as it was last seen.
Json process_list(const model::Report& report) {
  std::map<std::int64_t, const model::SeriesReport*> last;
  std::vector<std::int64_t> order;
  for (const model::RunReport& run : report.runs) {
    for (const model::SeriesReport& series : run.series) {
      if (!series.pid || series.quantity != model::Quantity::ProcessMemory) continue;
      if (last.count(*series.pid) == 0) order.push_back(*series.pid);
      last[*series.pid] = &series;
    }
  }
  Json list = Json::array();
  for (const std::int64_t pid : order) list.push_back(process(*last[pid]));
  return list;
}

// The GPUs of the run that speaks: used, allocated and reserved are up to three
// series of one device. Its verdict is that of a leak if there is one, else of
// what torch has allocated, of what is used, of what is reserved.
Json gpu_list(const model::Report& report) {
  if (report.primary_run >= report.runs.size()) return Json::array();
  // Told apart by index, or by UUID or bus where there is none.
  std::map<std::pair<int, std::string>, std::vector<const model::SeriesReport*>> devices;
  for (const model::SeriesReport& series : report.runs[report.primary_run].series) {
    if (is_gpu_memory(series.quantity))
      devices[{series.gpu_index.value_or(-1), series.gpu_id}].push_back(&series);
  }
  Json list = Json::array();
  for (auto& [device, all] : devices) {
    const int index = device.first;
    const auto rank = [](const model::SeriesReport* series) {
      const int kind = series->quantity == model::Quantity::GpuAllocated ? 0
                       : series->quantity == model::Quantity::GpuUsed    ? 1
                                                                         : 2;
      return series->verdict.kind == model::VerdictKind::Leak ? kind - 3 : kind;
    };
    const auto last_of = [&all = all](model::Quantity quantity) -> Json {
      for (const auto* series : all) {
        if (series->quantity == quantity) return series->last_bytes;
      }
      return nullptr;
    };
    const auto* speaks = *std::min_element(all.begin(), all.end(),
                                           [&](const auto* a, const auto* b) { return rank(a) < rank(b); });
    Json total = nullptr;
    for (const auto* series : all) {
      if (series->limit_bytes) total = *series->limit_bytes;
    }
    list.push_back({{"index", index < 0 ? Json(nullptr) : Json(index)},
                    {"name", text_or_null(all.front()->gpu_name)},
                    {"id", text_or_null(device.second)},
                    {"total_bytes", total},
                    {"used_bytes", last_of(model::Quantity::GpuUsed)},
                    {"pid", or_null(speaks->pid)},
                    {"process_bytes", nullptr},
                    {"allocated_bytes", last_of(model::Quantity::GpuAllocated)},
                    {"reserved_bytes", last_of(model::Quantity::GpuReserved)},
                    {"fragmented_bytes", nullptr},
                    {"outside_torch_bytes", nullptr},
                    {"verdict", to_json(speaks->verdict)}});
  }
  return list;
}

Json run_list(const model::Report& report) {
  Json list = Json::array();
  for (const model::RunReport& run : report.runs) {
    Json series_list = Json::array();
    for (const model::SeriesReport& series : run.series) {
      series_list.push_back({{"name", series.name},
                             {"pid", or_null(series.pid)},
                             {"last_bytes", series.last_bytes},
                             {"peak_bytes", series.peak_bytes},
                             {"limit_bytes", or_null(series.limit_bytes)},
                             {"forecast", to_json(series.forecast)},
                             {"verdict", to_json(series.verdict)}});
    }
    const model::Verdict none;
    list.push_back({{"name", run.name},
                    {"first_line", run.first_line},
                    {"last_line", run.last_line},
                    {"verdict", to_json(run.series.empty() ? none : run.series.front().verdict)},
                    {"series", std::move(series_list)}});
  }
  return list;
}

Json event_list(const model::Report& report) {
  Json list = Json::array();
  for (const model::Event& event : report.events) {
    list.push_back({{"kind", model::to_string(event.kind)},
                    {"at_s", seconds_or_null(event.at_s)},
                    {"line", event.line},
                    {"text", event.text}});
  }
  return list;
}

Json warning_list(const model::Report& report) {
  Json list = Json::array();
  for (const model::Warning& warning : report.warnings) {
    list.push_back({{"text", warning.text}, {"count", warning.count}, {"first_line", warning.first_line}});
  }
  return list;
}

Json growth_of(const model::Verdict& verdict) {
  Json floor = nullptr;
  if (verdict.samples > 0) floor = bytes_number(static_cast<double>(model::growth_bytes(verdict.floor)));
  return {{"floor_bytes", std::move(floor)}, {"explained_share", nullptr}, {"mechanisms", Json::array()}};
}

}  // namespace

std::string to_json(const model::Report& report, const model::Gate* gate) {
  const bool watched = report.source.type == model::SourceType::Recording;
  Json holders = Json::array();
  Json tensors = Json::array();
  Json types = Json::array();
  for (const model::HolderReport& holder : report.holders) holders.push_back(holder_json(holder, true));
  for (const auto& [pid, row] : report.tensors) tensors.push_back(tensors_json(pid, row, true));
  for (const auto& [pid, row] : report.types) types.push_back(type_json(pid, row, true));
  Json json = {
      {"lowtide", LOWTIDE_VERSION},
      {"schema", 1},
      {"source",
       {{"type", model::to_string(report.source.type)},
        {"path", report.source.path},
        {"started", or_null(report.source.started)},
        {"duration_s", seconds_or_null(report.source.duration_s)},
        {"steps", or_null(report.source.steps)},
        {"format", text_or_null(report.source.format)},
        {"bytes", report.source.bytes},
        {"lines", report.source.lines}}},
      {"verdict", to_json(report.verdict)},
      {"processes", watched ? watched_processes(report) : process_list(report)},
      {"runs", watched ? Json::array() : run_list(report)},
      {"growth", watched ? watched_growth(report) : growth_of(report.verdict)},
      {"sites", sites_json(report)},
      {"holders", std::move(holders)},
      {"tensors", std::move(tensors)},
      {"types", std::move(types)},
      {"gpus", watched ? watched_gpus(report) : gpu_list(report)},
      {"phases", phases(report)},
      {"forecast", to_json(report.forecast)},
      {"events", event_list(report)},
      {"findings", findings(report)},
      {"overhead", overhead(report)},
      {"warnings", warning_list(report)},
  };
  if (watched) add_watched(json, report);
  if (gate != nullptr) json["gate"] = gate_json(*gate);
  return json.dump(2, ' ', false, kReplaceInvalid) + "\n";
}

std::string to_json_line(std::string_view id_json, const model::Verdict& verdict) {
  // Put together by hand: the id stays as it was written, a number of 30 digits included.
  return "{\"id\":" + std::string(id_json) +
         ",\"verdict\":" + to_json(verdict).dump(-1, ' ', false, kReplaceInvalid) + "}\n";
}

std::string to_json_error_line(std::string_view error) {
  const Json json = {{"id", nullptr}, {"error", std::string(error)}};
  return json.dump(-1, ' ', false, kReplaceInvalid) + "\n";
}

}  // namespace lowtide::show

#include "show/json.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

using Json = nlohmann::ordered_json;

// Invalid UTF-8 is replaced when the text is dumped; control bytes are escaped by JSON itself.
constexpr auto kReplaceInvalid = nlohmann::ordered_json::error_handler_t::replace;

// Digits that mean something: the rest is noise, and differs between machines.
Json number(double value, int significant = 6) {
  if (!std::isfinite(value)) return nullptr;
  if (value == 0) return 0.0;
  const double scale = std::pow(10.0, significant - 1 - std::floor(std::log10(std::abs(value))));
  // Large numbers are divided and small ones multiplied, as a power of ten below one is no exact double.
  const double rounded =
      scale >= 1 ? std::round(value * scale) / scale : std::round(value / (1 / scale)) * (1 / scale);
  return std::isfinite(rounded) ? Json(rounded) : Json(value);
}

Json share(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::round(std::clamp(value, 0.0, 1.0) * 1e4) / 1e4;
}

// Steps are whole where they are: 85, not 85.0.
Json step_number(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (value == std::floor(value) && std::abs(value) < 9e15) return static_cast<std::int64_t>(value);
  return number(value, 8);
}

Json bytes_number(double value) {
  if (!std::isfinite(value)) return nullptr;
  return static_cast<std::int64_t>(std::llround(std::clamp(value, -9e18, 9e18)));
}

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json seconds_or_null(const std::optional<double>& value) {
  return value ? number(*value, 9) : Json(nullptr);
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json to_json(const std::optional<model::Range>& range) {
  if (!range) return nullptr;
  return {{"estimate", number(range->estimate)}, {"low", number(range->low)}, {"high", number(range->high)}};
}

Json to_json(const model::Verdict& verdict) {
  const bool by_step = verdict.axis == model::Axis::Step;
  Json rate = nullptr;
  if (verdict.rate) {
    rate = {{"bytes", bytes_number(verdict.rate->bytes)},
            {"per", by_step ? "step" : "second"},
            {"low", bytes_number(verdict.rate->low)},
            {"high", bytes_number(verdict.rate->high)}};
  }
  Json warmup_end = nullptr;
  if (verdict.warmup_end) {
    const auto& mark = *verdict.warmup_end;
    warmup_end = {{"step", mark.step ? step_number(*mark.step) : Json(nullptr)},
                  {"seconds", seconds_or_null(mark.at_s)}};
  }
  Json lean = nullptr;
  if (verdict.lean) {
    lean = {{"kind", model::to_string(verdict.lean->kind)}, {"confidence", share(verdict.lean->confidence)}};
  }
  Json floor = {{"first_bytes", nullptr}, {"last_bytes", nullptr}};
  if (verdict.samples > 0) {
    floor = {{"first_bytes", verdict.floor.first_bytes}, {"last_bytes", verdict.floor.last_bytes}};
  }
  return {{"kind", model::to_string(verdict.kind)},
          {"confidence", share(verdict.confidence)},
          {"axis", model::to_string(verdict.axis)},
          {"samples", verdict.samples},
          {"rate", std::move(rate)},
          {"floor", std::move(floor)},
          {"warmup_end", std::move(warmup_end)},
          {"plateau_bytes", or_null(verdict.plateau_bytes)},
          {"spike_bytes", or_null(verdict.spike_bytes)},
          {"reason", verdict.reason},
          {"needs", or_null(verdict.needs)},
          {"lean", std::move(lean)},
          {"basis", verdict.basis}};
}

Json to_json(const std::optional<model::Forecast>& forecast) {
  if (!forecast) return nullptr;
  return {{"limit", model::to_string(forecast->limit)},
          {"limit_bytes", forecast->limit_bytes},
          {"step", to_json(forecast->step)},
          {"seconds", to_json(forecast->seconds)}};
}

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
Json processes(const model::Report& report) {
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

bool is_gpu(model::Quantity quantity) {
  return quantity == model::Quantity::GpuUsed || quantity == model::Quantity::GpuAllocated ||
         quantity == model::Quantity::GpuReserved;
}

// The GPUs of the run that speaks: used, allocated and reserved are up to three
// series of one device. Its verdict is that of a leak if there is one, else of
// what torch has allocated, of what is used, of what is reserved.
Json gpus(const model::Report& report) {
  if (report.speaking_run >= report.runs.size()) return Json::array();
  // Told apart by index, or by UUID or bus where there is none.
  std::map<std::pair<int, std::string>, std::vector<const model::SeriesReport*>> devices;
  for (const model::SeriesReport& series : report.runs[report.speaking_run].series) {
    if (is_gpu(series.quantity)) devices[{series.gpu_index.value_or(-1), series.gpu_id}].push_back(&series);
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

Json runs(const model::Report& report) {
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

Json events(const model::Report& report) {
  Json list = Json::array();
  for (const model::Event& event : report.events) {
    list.push_back({{"kind", model::to_string(event.kind)},
                    {"at_s", seconds_or_null(event.at_s)},
                    {"line", event.line},
                    {"text", event.text}});
  }
  return list;
}

Json warnings(const model::Report& report) {
  Json list = Json::array();
  for (const model::Warning& warning : report.warnings) {
    list.push_back({{"text", warning.text}, {"count", warning.count}, {"first_line", warning.first_line}});
  }
  return list;
}

Json growth_of(const model::Verdict& verdict) {
  Json floor = nullptr;
  if (verdict.samples > 0) {
    floor = bytes_number(static_cast<double>(verdict.floor.last_bytes) -
                         static_cast<double>(verdict.floor.first_bytes));
  }
  return {{"floor_bytes", std::move(floor)}, {"explained_share", nullptr}, {"mechanisms", Json::array()}};
}

}  // namespace

std::string to_json(const model::Report& report) {
  const Json json = {
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
      {"processes", processes(report)},
      {"runs", runs(report)},
      {"growth", growth_of(report.verdict)},
      {"sites", Json::array()},
      {"holders", Json::array()},
      {"tensors", Json::array()},
      {"types", Json::array()},
      {"gpus", gpus(report)},
      {"phases", Json::array()},
      {"forecast", to_json(report.forecast)},
      {"events", events(report)},
      {"findings", Json::array()},
      {"overhead",
       {{"monitor_cpu_share", nullptr},
        {"monitor_rss_bytes", nullptr},
        {"samples_lost", nullptr},
        {"agent", "off"},
        {"note", nullptr}}},
      {"warnings", warnings(report)},
  };
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

#include "show/json/watched.h"

#include <cstdint>
#include <utility>

#include "show/words.h"

namespace lowtide::show {
namespace {

const char* ending_word(model::Ending ending) {
  switch (ending) {
    case model::Ending::Running:
      return "running";
    case model::Ending::Closed:
      return "closed";
    case model::Ending::CutOff:
      return "cut-off";
    case model::Ending::Unknown:
      break;
  }
  return "unknown";
}

Json share_or_null(const std::optional<double>& value) {
  return value ? share(*value) : Json(nullptr);
}

Json mechanism_or_null(const std::optional<model::Mechanism>& mechanism) {
  return mechanism ? Json(model::to_string(*mechanism)) : Json(nullptr);
}

}  // namespace

Json watched_processes(const model::Report& report) {
  Json list = Json::array();
  for (const model::ProcessReport& process : report.processes) {
    const model::ProcessInfo& info = process.info;
    const model::ProcessBytes& bytes = process.bytes;
    list.push_back({{"pid", info.pid},
                    {"ppid", info.ppid},
                    {"role", model::to_string(info.role)},
                    {"index", or_null(info.index)},
                    {"command", text_or_null(info.command)},
                    {"started_s", number(info.started_s, 9)},
                    {"ended_s", seconds_or_null(info.ended_s)},
                    {"exit", or_null(info.exit_status)},
                    {"processes", process.processes},
                    {"verdict", to_json(process.series.verdict)},
                    {"peak_bytes", process.series.peak_bytes},
                    {"growth_share", share_or_null(process.growth_share)},
                    {"bytes",
                     {{"rss", bytes.rss_bytes},
                      {"pss", or_null(bytes.pss_bytes)},
                      {"uss", or_null(bytes.uss_bytes)},
                      {"pss_age_s", seconds_or_null(bytes.pss_age_s)},
                      {"anon", bytes.anon_bytes},
                      {"file", bytes.file_bytes},
                      {"shmem", bytes.shmem_bytes},
                      {"swap", bytes.swap_bytes}}}});
  }
  return list;
}

Json watched_growth(const model::Report& report) {
  const model::GrowthReport growth = report.growth.value_or(model::GrowthReport{});
  Json mechanisms = Json::array();
  for (const model::MechanismShare& part : growth.mechanisms) {
    mechanisms.push_back({{"mechanism", model::to_string(part.mechanism)},
                          {"bytes", part.bytes},
                          {"share", share(part.share)}});
  }
  return {{"floor_bytes", report.growth ? Json(growth.floor_bytes) : Json(nullptr)},
          {"explained_share", share_or_null(growth.explained_share)},
          {"mechanisms", std::move(mechanisms)}};
}

Json watched_gpus(const model::Report& report) {
  Json list = Json::array();
  for (const model::GpuReport& gpu : report.gpus) {
    list.push_back({{"index", gpu.index},
                    {"name", text_or_null(gpu.name)},
                    {"total_bytes", gpu.total_bytes},
                    {"used_bytes", gpu.used_bytes},
                    {"pid", or_null(gpu.pid)},
                    {"process_bytes", or_null(gpu.process_bytes)},
                    {"allocated_bytes", gpu.torch ? Json(gpu.torch->allocated_bytes) : Json(nullptr)},
                    {"reserved_bytes", gpu.torch ? Json(gpu.torch->reserved_bytes) : Json(nullptr)},
                    {"fragmented_bytes", gpu.torch ? Json(gpu.torch->inactive_split_bytes) : Json(nullptr)},
                    {"outside_torch_bytes", or_null(model::outside_torch_bytes(gpu))},
                    {"retries", gpu.torch ? Json(gpu.torch->retries) : Json(nullptr)},
                    {"ooms", gpu.torch ? Json(gpu.torch->ooms) : Json(nullptr)},
                    {"pinned_bytes", gpu.torch ? Json(gpu.torch->pinned_bytes) : Json(nullptr)},
                    {"verdict", to_json(gpu.series.verdict)}});
  }
  return list;
}

Json phases(const model::Report& report) {
  Json list = Json::array();
  for (const model::PhaseReport& told : report.phases) {
    list.push_back({{"name", told.phase.name},
                    {"pid", told.pid},
                    {"count", told.phase.count},
                    {"peak_bytes", told.phase.peak_bytes > 0 ? Json(told.phase.peak_bytes) : Json(nullptr)},
                    {"kept_bytes", told.phase.kept_bytes},
                    {"took_s", number(told.phase.took_s)}});
  }
  return list;
}

Json to_json(const model::Finding& finding) {
  return {{"id", finding.id},
          {"severity", model::to_string(finding.severity)},
          {"title", finding.title},
          {"mechanism", mechanism_or_null(finding.mechanism)},
          {"pid", or_null(finding.pid)},
          {"where",
           {{"file", or_null(finding.where.file)},
            {"line", or_null(finding.where.line)},
            {"function", or_null(finding.where.function)},
            {"holder", or_null(finding.where.holder)}}},
          {"share", share_or_null(finding.share)},
          {"confidence", share(finding.confidence)},
          {"evidence", finding.evidence},
          {"excluded", finding.excluded},
          {"fix", text_or_null(finding.fix)},
          {"hint", text_or_null(finding.hint)},
          {"watch", text_or_null(finding.watch)},
          {"ruled_out", finding.ruled_out}};
}

Json findings(const model::Report& report) {
  Json list = Json::array();
  for (const model::Finding& finding : report.findings) list.push_back(to_json(finding));
  return list;
}

Json overhead(const model::Report& report) {
  const model::OverheadReport overhead = report.overhead.value_or(model::OverheadReport{});
  return {
      {"monitor_cpu_share", overhead.monitor_cpu_share ? number(*overhead.monitor_cpu_share) : Json(nullptr)},
      {"monitor_rss_bytes", or_null(overhead.monitor_rss_bytes)},
      {"samples_lost", or_null(overhead.samples_lost)},
      {"agent", overhead.agent},
      {"note", text_or_null(overhead.note)},
      {"allocation_samples", overhead.allocation_samples},
      {"allocation_samples_dropped", overhead.allocation_samples_dropped},
      {"sampling_s", number(overhead.sampling_s)},
      {"asking_s", number(overhead.asking_s)},
      {"looks", overhead.looks},
      {"pauses_s", number(overhead.pauses_s)}};
}

Json gate_json(const model::Gate& gate) {
  Json rules = Json::array();
  for (const model::RuleResult& result : gate.results) {
    rules.push_back({{"rule", model::to_string(result.rule.kind)},
                     {"given", result.rule.words},
                     {"outcome", model::to_string(result.outcome)},
                     {"why", result.why}});
  }
  return {{"outcome", model::to_string(gate.outcome())}, {"rules", std::move(rules)}};
}

namespace {

Json trim_trials(const model::Report& report) {
  Json list = Json::array();
  for (const model::TrimReport& told : report.trim_trials) {
    const model::TrimTrial& trial = told.trial;
    list.push_back({{"pid", told.pid},
                    {"at_s", number(trial.at_s, 9)},
                    {"outcome", model::to_string(trial.outcome)},
                    {"rss_before_bytes", or_null(trial.rss_before_bytes)},
                    {"rss_after_bytes", or_null(trial.rss_after_bytes)},
                    {"given_back_bytes", or_null(model::given_back_bytes(trial))},
                    {"trim_s", number(trial.trim_s)},
                    {"inspect_s", seconds_or_null(trial.inspect_s)},
                    {"arena_bytes", or_null(trial.arena_bytes)},
                    {"free_bytes", or_null(trial.free_bytes)},
                    {"mapped_bytes", or_null(trial.mapped_bytes)}});
  }
  return list;
}

}  // namespace

void add_watched(Json& json, const model::Report& report) {
  json["source"]["command"] = text_or_null(report.source.command);
  const model::SeriesReport* target = tree_series(report);
  json["target"] = {{"peak_bytes", target == nullptr ? Json(nullptr) : Json(target->peak_bytes)},
                    {"last_bytes", target == nullptr ? Json(nullptr) : Json(target->last_bytes)},
                    {"limit", report.limit ? Json(model::to_string(report.limit->kind)) : Json(nullptr)},
                    {"limit_bytes", report.limit ? Json(report.limit->bytes) : Json(nullptr)},
                    {"ending", ending_word(report.ending)}};
  json["short_lived"] = {{"count", report.short_lived.count},
                         {"largest_bytes", report.short_lived.largest_bytes},
                         {"unseen_at_least", or_null(report.short_lived.unseen_at_least)},
                         {"unseen_at_most", or_null(report.short_lived.unseen_at_most)}};
  json["trim_trials"] = trim_trials(report);
  json["reconciliation"] = nullptr;
  if (report.reconciliation) {
    const model::Reconciliation& sum = *report.reconciliation;
    json["reconciliation"] = {{"at_s", number(sum.at_s, 9)},      {"exact", sum.exact},
                              {"tree_bytes", sum.tree_bytes},     {"cache_bytes", sum.cache_bytes},
                              {"kernel_bytes", sum.kernel_bytes}, {"current_bytes", sum.current_bytes},
                              {"rest_bytes", sum.rest_bytes}};
  }
}

}  // namespace lowtide::show

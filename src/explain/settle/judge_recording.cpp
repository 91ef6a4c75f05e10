#include "explain/settle/judge_recording.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "explain/settle/gpus.h"
#include "explain/settle/growth.h"
#include "explain/settle/other_series.h"
#include "explain/settle/process_count_growth.h"
#include "explain/settle/process_rules.h"
#include "explain/settle/settle.h"
#include "explain/settle/sites/doubling.h"
#include "explain/settle/sites/site_rules.h"
#include "explain/settle/small_growth.h"
#include "explain/settle/tmpfs.h"
#include "judge/wording.h"
#include "model/floor.h"

namespace lowtide::explain {
namespace {

class Arguments {
 public:
  Arguments& operator<<(std::optional<Argument> argument) {
    if (argument) all_.push_back(std::move(*argument));
    return *this;
  }
  Arguments& operator<<(std::vector<Argument> arguments) {
    std::ranges::move(arguments, std::back_inserter(all_));
    return *this;
  }
  // A cache with a bound, and memory of a known size, end where they end: their stairs prove nothing.
  [[nodiscard]] bool know_the_end() const {
    return std::ranges::any_of(all_, [](const Argument& argument) {
      return argument.rule == ArgumentKind::CacheStillFilling || argument.rule == ArgumentKind::FirstTouch;
    });
  }
  [[nodiscard]] model::Verdict settle(model::Verdict series) const {
    return explain::settle(std::move(series), all_);
  }

 private:
  std::vector<Argument> all_;
};

double tree_level(const Evidence& evidence) {
  return level(evidence.target, evidence.late).value_or(0);
}

void settle_processes(JudgedRecording& judged, const Evidence& evidence) {
  for (WatchedProcess& process : judged.processes.listed) {
    model::Verdict& verdict = process.report.series.verdict;
    Arguments arguments;
    arguments << too_few_readings(process) << ignore_small_growth(verdict, tree_level(evidence))
              << leak_from_sites(process, judged.sites, evidence)
              << growth_is_first_touch(process, judged.sites, evidence)
              << retention_clears_lean(process, judged.sites, evidence)
              << leak_from_copy_on_write(process, evidence);
    for (const ProcessHolders& holders : judged.holders) {
      if (holders.process.id == process.report.info.id) arguments << holder_arguments(holders);
    }
    if (!arguments.know_the_end() && !copies_on_write(process, evidence))
      arguments << next_stair_is_due(process.series, evidence.steps, tree_level(evidence));
    verdict = arguments.settle(verdict);
  }
}

// The series of the tree, and what the rules of a run that goes on say about it.
struct TreeSeries {
  model::SeriesReport series;
  std::optional<Argument> goes_on = std::nullopt;
};

// While the run goes on, a series must show more to be called a leak (judge/live.h), and keeps a harmless
// kind for a while. But what may be a leak stays open, so that the evidence can settle it.
TreeSeries find_tree_series(const Evidence& evidence) {
  TreeSeries out{.series = judge_series(evidence.target, evidence.steps)};
  if (!evidence.is_running) return out;
  model::Verdict live = judge_live(evidence.target, evidence.steps);
  if (model::leans_to_leak(out.series.verdict) ||
      (out.series.verdict.kind == model::VerdictKind::Leak && live.kind != model::VerdictKind::Leak)) {
    out.goes_on =
        Argument{.rule = ArgumentKind::RunGoesOn, .needs = live.needs.value_or(judge::longer_run())};
  } else {
    out.series.verdict = std::move(live);
  }
  return out;
}

model::Verdict settle_tree(const TreeSeries& tree, const JudgedRecording& judged, const Evidence& evidence) {
  const std::vector<WatchedProcess>& processes = judged.processes.listed;
  const model::Verdict& series = tree.series.verdict;
  Arguments arguments;
  arguments << tree.goes_on << ignore_small_growth(series, tree_level(evidence))
            << leak_from_process_count(evidence) << leak_beside_replaced(evidence, processes)
            << leak_from_sites(judged.sites, evidence)
            << growth_is_first_touch(processes, judged.sites, evidence)
            << retention_clears_lean(processes, judged.sites, evidence)
            << leak_from_process(evidence, processes) << leak_from_copy_on_write(processes, evidence)
            << no_process_grows(processes, evidence) << holder_arguments(judged.holders, evidence);
  if (!arguments.know_the_end()) arguments << next_stair_is_due(processes, evidence);
  if (evidence.target.empty()) {
    arguments << Argument{
        .rule = ArgumentKind::NoReading,
        .reason = "the recording has no readings",
        .needs = model::Needs{.words = "a job that runs longer than one sampling interval"}};
  }
  return arguments.settle(series);
}

// Beside workers that are replaced, by the process that leaks: it can have what the others leave.
std::optional<model::Forecast> forecast_tree(const JudgedRecording& judged, const Evidence& evidence,
                                             const Ceiling& ceiling) {
  const WatchedProcess* leak = find_leak_beside_replaced(evidence, judged.processes.listed);
  const RecordedSeries& series = leak == nullptr ? evidence.target : leak->series;
  const double others = leak == nullptr ? 0 : tree_level(evidence) - level(series, evidence.late).value_or(0);
  const auto room = static_cast<double>(ceiling.tree_bytes) - std::max(0.0, others);
  return forecast_series(series, evidence.steps, ceiling.limit.kind,
                         static_cast<std::uint64_t>(std::max(0.0, room)));
}

model::SeriesReport judge_tree(const JudgedRecording& judged, const Evidence& evidence,
                               const std::optional<Ceiling>& ceiling) {
  TreeSeries tree = find_tree_series(evidence);
  tree.series.verdict = settle_tree(tree, judged, evidence);
  model::SeriesReport series = std::move(tree.series);
  series.name = "the process tree";
  if (ceiling) series.limit_bytes = ceiling->limit.bytes;
  // The series alone may see a rise that the rest of the evidence has explained.
  const model::VerdictKind kind = series.verdict.kind;
  if (kind != model::VerdictKind::Leak && kind != model::VerdictKind::Inconclusive) return series;
  if (ceiling) series.forecast = forecast_tree(judged, evidence, *ceiling);
  if (series.forecast) {
    series.forecast->limit_bytes = ceiling->limit.bytes;
    if (ceiling->tree_bytes < ceiling->limit.bytes) series.forecast->reach_bytes = ceiling->tree_bytes;
  }
  series.forecast = sooner(std::move(series.forecast), forecast_tmpfs(evidence));
  return series;
}

// A GPU that grew much, and it is not known yet whether that has ended.
bool is_open_growth(const model::SeriesReport& series) {
  constexpr double kLeast = 64e6;
  constexpr double kLeastPart = 0.3;  // of what it had at first
  const model::Verdict& verdict = series.verdict;
  return model::is_gpu_memory(series.quantity) &&
         (model::leans_to(verdict, model::VerdictKind::Leak) ||
          model::leans_to(verdict, model::VerdictKind::Warmup)) &&
         static_cast<double>(model::floor_growth(verdict.floor)) >=
             std::max(kLeast, kLeastPart * static_cast<double>(verdict.floor.first_bytes));
}

// How soon a leak reaches its limit; an innocent series comes after all leaks.
double urgency_s(const model::SeriesReport& series) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  constexpr double kUnknown = std::numeric_limits<double>::max();
  if (series.verdict.kind != model::VerdictKind::Leak) return kNever;
  return series.forecast && series.forecast->seconds ? series.forecast->seconds->estimate : kUnknown;
}

// Of several leaks the most urgent one gives the verdict. If nothing leaks, the tree does, unless a GPU may
// grow further.
void put_primary_first(std::vector<model::SeriesReport>& series) {
  auto primary = std::min_element(series.begin(), series.end(),
                                  [](const auto& a, const auto& b) { return urgency_s(a) < urgency_s(b); });
  if (primary->verdict.kind != model::VerdictKind::Leak) primary = series.end();
  if (primary == series.end() && !model::may_leak(series.front().verdict)) {
    primary = std::find_if(series.begin(), series.end(), is_open_growth);
    const bool is_tree_open = series.front().verdict.kind == model::VerdictKind::Inconclusive;
    if (primary != series.end() && is_tree_open &&
        model::floor_growth(primary->verdict.floor) < model::floor_growth(series.front().verdict.floor))
      return;
  }
  if (primary != series.end()) std::iter_swap(series.begin(), primary);
}

}  // namespace

JudgedRecording judge_recording(const Evidence& evidence, const std::optional<Ceiling>& ceiling) {
  JudgedRecording out{.processes = judge_processes(evidence),
                      .sites = find_sites(evidence),
                      .holders = find_holders(evidence),
                      .gpus = judge_gpus(evidence)};
  judge_sites(out.sites, evidence);
  drop_unproven(out.holders, out.sites);
  settle_processes(out, evidence);
  for (model::GpuReport& gpu : out.gpus) {
    gpu.series.verdict = settle(std::move(gpu.series.verdict), holder_arguments(gpu, out.holders));
    if (!model::may_leak(gpu.series.verdict)) gpu.series.forecast.reset();
  }
  out.series.push_back(judge_tree(out, evidence, ceiling));
  out.tree = out.series.front().verdict;
  open_main_site_if_tree_leaks(out.sites, out.tree);
  clear_sites_if_tree_flat(out.sites, out.tree);
  for (const model::GpuReport& gpu : out.gpus) out.series.push_back(gpu.series);
  put_primary_first(out.series);
  out.verdict = settle(out.series.front().verdict, note_leaning_gpu(out.series));
  return out;
}

}  // namespace lowtide::explain

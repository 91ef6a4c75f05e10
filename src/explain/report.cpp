#include "explain/report.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "base/text.h"
#include "explain/evidence/events.h"
#include "explain/evidence/evidence.h"
#include "explain/evidence/limit.h"
#include "explain/evidence/reconcile.h"
#include "explain/findings/catalogue.h"
#include "explain/settle/gpus.h"
#include "explain/settle/growth.h"
#include "explain/settle/holders.h"
#include "explain/settle/process_reports.h"
#include "explain/settle/site_verdicts.h"
#include "explain/settle/sites.h"
#include "explain/settle/small_growth.h"
#include "explain/settle/target_verdict.h"

namespace lowtide::explain {
namespace {

model::Source source_of(const Evidence& evidence, const ReportOptions& options) {
  model::Source source;
  source.type = model::SourceType::Recording;
  source.path = options.path;
  if (!evidence.header.started.empty()) source.started = evidence.header.started;
  source.duration_s = evidence.last_at_s;
  source.command = evidence.header.command;
  for (const TrailPoint& point : evidence.target) {
    if (point.step >= 0 && point.step < 9e15) source.steps = static_cast<std::uint64_t>(point.step);
  }
  return source;
}

model::Ending ending_of(const Evidence& evidence, const ReportOptions& options) {
  if (evidence.closed) return model::Ending::Closed;
  if (!options.now_unix_s) return model::Ending::CutOff;
  constexpr double kPatienceSeconds = 15;  // a monitor that is starved of time is late, not dead
  const double silent_s = *options.now_unix_s - evidence.header.started_unix_s - evidence.last_at_s;
  const double patience_s = std::max(kPatienceSeconds, 5 * evidence.header.interval_s);
  return silent_s > patience_s ? model::Ending::CutOff : model::Ending::Running;
}

// What the monitor says of itself at the end of a run.
model::OverheadReport overhead_of(const record::Recording& recording, const Evidence& evidence) {
  model::OverheadReport out;
  out.monitor_cpu_share = recording.meta<record::Meta::MonitorCpuShare>();
  out.monitor_rss_bytes = recording.meta<record::Meta::MonitorRssBytes>();
  out.samples_lost = evidence.lost_ticks;
  const std::string state = recording.meta<record::Meta::AgentState>().value_or("");
  if (state == "off" || state == "on" || state == "switched-off") {
    out.agent = state;
  } else if (!evidence.heaps.empty()) {
    out.agent = "on";
  }
  out.note = base::printable(recording.meta<record::Meta::AgentNote>().value_or(""), 400);
  for (const HeapEvidence& heap : evidence.heaps) {
    out.allocation_samples += heap.last.samples;
    out.allocation_samples_dropped += heap.last.dropped_samples;
    out.sampling_s += static_cast<double>(heap.last.sampling_ns) / 1e9;
    out.asking_s += static_cast<double>(heap.last.asking_ns) / 1e9;
  }
  out.looks = evidence.snapshots.size();
  for (const record::RecordedSnapshot& look : evidence.snapshots) out.pauses_s += look.snapshot.pause_s;
  return out;
}

std::vector<model::PhaseReport> phases_of(const Evidence& evidence) {
  std::vector<model::PhaseReport> out;
  for (const model::Phase& phase : evidence.phases) {
    if (const ProcessEvidence* process = evidence.find_process(phase.process))
      out.push_back({process->info.pid, phase});
  }
  return out;
}

std::vector<model::TrimReport> trim_trials_of(record::Recording& recording, const Evidence& evidence) {
  std::vector<model::TrimReport> out;
  for (const model::TrimTrial& trial : recording.trim_trials()) {
    if (const ProcessEvidence* process = evidence.find_process(trial.process))
      out.push_back({process->info.pid, trial});
  }
  return out;
}

model::SeriesReport target_series(const Evidence& evidence, const WatchedProcesses& processes,
                                  const Sites& sites, const std::vector<ProcessHolders>& holders,
                                  const std::optional<Ceiling>& ceiling) {
  model::SeriesReport series = judge_trail(evidence.target, evidence.steps);
  series.name = "the process tree";
  pass_over_small_growth(series.verdict, level(evidence.target, evidence.late).value_or(0));
  if (!settle_with_count(series.verdict, evidence) &&
      !settle_with_sites(series.verdict, sites, evidence, processes.listed)) {
    join_with_processes(series.verdict, evidence, processes.listed);
  }
  settle_with_holders(series.verdict, holders, evidence);
  if (evidence.target.empty()) {
    series.verdict.reason = "the recording holds no reading";
    series.verdict.needs = "a job that lives longer than one tick";
  }
  if (!ceiling) return series;
  series.limit_bytes = ceiling->limit.bytes;
  // The series alone may see a rise that the rest of the evidence has explained.
  const model::VerdictKind kind = series.verdict.kind;
  if (kind != model::VerdictKind::Leak && kind != model::VerdictKind::Inconclusive) return series;
  series.forecast = forecast_trail(evidence.target, evidence.steps, ceiling->limit.kind, ceiling->tree_bytes);
  if (series.forecast) series.forecast->limit_bytes = ceiling->limit.bytes;
  return series;
}

// A GPU that leans to a leak settles nothing, but nobody may read past it.
void name_leaning_gpu(model::Report& report) {
  const model::SeriesReport* gpu = model::find_leaning_gpu(report.runs.front().series);
  if (gpu == nullptr) return;
  report.verdict.reason += "; but " + gpu->name + " leans to a leak: " + gpu->verdict.reason;
}

// Nor past one of which torch reserves ever more.
void name_fragmented_gpu(model::Report& report) {
  for (const model::Finding& finding : report.findings) {
    if (finding.id == "gpu-fragmentation") report.verdict.reason += "; but " + finding.title;
  }
}

// What grew most between the looks at each Python; of types and tensors only what grew.
void add_holders(model::Report& report, const std::vector<ProcessHolders>& all) {
  constexpr std::size_t kMostRows = 20;
  for (const ProcessHolders& holders : all) {
    for (const HeldGrowth& grown : holders.grown) {
      report.holders.push_back(grown.holder);
      if (grown.of_process > 0) report.holders.back().share = grown.of_process;
    }
    const model::SnapshotReport& difference = holders.difference;
    for (std::size_t at = 0; at < std::min(kMostRows, difference.tensors.size()); ++at) {
      report.tensors.emplace_back(holders.process.pid, difference.tensors[at]);
    }
    for (std::size_t at = 0; at < std::min(kMostRows, difference.types.size()); ++at) {
      report.types.emplace_back(holders.process.pid, difference.types[at]);
    }
  }
  std::stable_sort(report.holders.begin(), report.holders.end(), [](const auto& a, const auto& b) {
    return a.growth_bytes + a.growth_device_bytes > b.growth_bytes + b.growth_device_bytes;
  });
}

// The tree speaks, unless it does not leak and a GPU does.
void add_run(model::Report& report, model::SeriesReport target) {
  model::RunReport run;
  run.name = "run";
  run.series.push_back(std::move(target));
  for (const model::GpuReport& gpu : report.gpus) run.series.push_back(gpu.series);
  if (run.series.front().verdict.kind != model::VerdictKind::Leak) {
    const auto leak = std::find_if(
        run.series.begin(), run.series.end(),
        [](const model::SeriesReport& series) { return series.verdict.kind == model::VerdictKind::Leak; });
    if (leak != run.series.end()) std::iter_swap(run.series.begin(), leak);
  }
  report.verdict = run.series.front().verdict;
  report.forecast = run.series.front().forecast;
  report.runs.push_back(std::move(run));
  name_leaning_gpu(report);
}

}  // namespace

model::Report make_report(record::Recording& recording, const ReportOptions& options) {
  const Evidence evidence = read_evidence(recording);
  WatchedProcesses processes = judge_processes(evidence);
  Sites sites = find_sites(evidence);
  judge_sites(sites, evidence);
  settle_processes(processes.listed, sites, evidence);
  settle_copying(processes.listed, evidence);
  const std::vector<ProcessHolders> holders = find_holders(evidence);
  settle_with_holders(processes.listed, holders);
  const std::optional<Ceiling> ceiling = find_ceiling(evidence, options.limit_bytes);

  model::Report report;
  report.source = source_of(evidence, options);
  if (const auto told = recording.meta<record::Meta::StepsTold>()) report.source.steps = told;
  report.ending = ending_of(evidence, options);
  report.gpus = judge_gpus(evidence);
  settle_with_holders(report.gpus, holders);
  report.phases = phases_of(evidence);
  model::SeriesReport target = target_series(evidence, processes, sites, holders, ceiling);
  agree_with_tree(sites, target.verdict);
  set_growth_shares(processes.listed, evidence, target.verdict);
  report.growth = explain_growth(evidence, processes.listed, sites, target.verdict);
  report.sites = site_reports(sites);
  add_holders(report, holders);
  if (ceiling) report.limit = ceiling->limit;
  add_run(report, std::move(target));
  report.events = find_events(evidence);
  report.reconciliation = reconcile(evidence);
  report.overhead = overhead_of(recording, evidence);
  report.trim_trials = trim_trials_of(recording, evidence);
  report.short_lived = processes.short_lived;
  report.short_lived.unseen_at_least = recording.meta<record::Meta::ShortLivedProcesses>();
  if (auto& unseen = report.short_lived.unseen_at_least) {
    *unseen -=
        std::min<std::uint64_t>(*unseen, evidence.snapshots.size());  // the children that looked were ours
  }
  report.short_lived.unseen_at_most = recording.meta<record::Meta::ShortLivedAtMost>();
  report.findings = find_all({evidence, processes.listed, sites, holders, report.short_lived, report});
  name_fragmented_gpu(report);
  for (WatchedProcess& process : processes.listed) report.processes.push_back(std::move(process.report));
  for (const std::string& text : recording.warnings()) report.warnings.push_back({text, 1, 0});
  return report;
}

model::Profile make_profile(record::Recording& recording) {
  const Evidence evidence = read_evidence(recording);
  model::Profile out;
  out.command = evidence.header.command;
  out.started_unix_s = evidence.header.started_unix_s;
  out.duration_s = evidence.last_at_s;
  for (const HeapEvidence& heap : evidence.heaps) {
    out.interval_bytes = std::max(out.interval_bytes, heap.last.interval_bytes);
  }
  out.samples = profile_samples(evidence);
  return out;
}

}  // namespace lowtide::explain

#include "explain/report.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "base/text.h"
#include "explain/answer.h"
#include "explain/evidence/events.h"
#include "explain/evidence/evidence.h"
#include "explain/evidence/limit.h"
#include "explain/evidence/reconcile.h"
#include "explain/findings/catalogue.h"
#include "explain/gpu_ledger.h"
#include "explain/gpu_lines.h"
#include "explain/gpu_oom.h"
#include "explain/settle/floor_ends.h"
#include "explain/settle/growth.h"
#include "explain/settle/judge_recording.h"
#include "explain/settle/other_series.h"
#include "explain/settle/settle.h"
#include "explain/settle/tmpfs.h"

namespace lowtide::explain {
namespace {

model::Source source_of(const Evidence& evidence, const ReportOptions& options) {
  model::Source source;
  source.type = model::SourceType::Recording;
  source.path = options.path;
  if (!evidence.header.started.empty()) source.started = evidence.header.started;
  source.duration_s = evidence.last_at_s;
  source.command = evidence.header.command;
  for (const SeriesPoint& point : evidence.target) {
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

// What the monitor recorded about itself at the end of a run.
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
  out.not_entered_count = recording.meta<record::Meta::NotEnteredCount>().value_or(0);
  for (std::size_t number = 1;
       number <= std::min<std::uint64_t>(out.not_entered_count, record::kMostNotEntered); ++number) {
    if (const auto text = recording.meta<record::Meta::NotEntered>(number))
      out.not_entered.push_back(base::printable(*text));
  }
  for (const HeapEvidence& heap : evidence.heaps) {
    out.allocation_samples += heap.last.samples;
    out.allocation_samples_dropped += heap.last.dropped_samples;
    out.sampling_s += static_cast<double>(heap.last.sampling_ns) / 1e9;
    out.asking_s += static_cast<double>(heap.last.asking_ns) / 1e9;
  }
  out.snapshots = evidence.snapshots.size();
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

// What grew most between the snapshots of each process; types and tensors only if they grew.
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

}  // namespace

model::Report make_report(record::Recording& recording, const ReportOptions& options) {
  Evidence evidence = read_evidence(recording);
  const model::Ending ending = ending_of(evidence, options);
  evidence.is_running = ending == model::Ending::Running;
  const std::optional<Ceiling> ceiling = find_ceiling(evidence, options.limit_bytes);
  JudgedRecording judged = judge_recording(evidence, ceiling);
  std::vector<WatchedProcess>& processes = judged.processes.listed;
  set_growth_shares(processes, evidence, judged.tree);

  model::Report report;
  report.source = source_of(evidence, options);
  if (const auto told = recording.meta<record::Meta::StepsTold>()) report.source.steps = told;
  report.ending = ending;
  if (const ProcessEvidence* root = evidence.root()) report.exit_status = root->info.exit_status;
  report.verdict = judged.verdict;
  report.forecast = judged.series.front().forecast;
  report.runs.push_back({.name = "run", .series = std::move(judged.series)});
  report.gpus = std::move(judged.gpus);
  SourceFiles sources([&](const std::string& file) { return recording.source_text(file); });
  add_gpu_ledgers(evidence, report.gpus);
  report.tmpfs = tmpfs_reports(evidence);
  report.shared_memory = evidence.shared_groups;
  for (model::SharedGroup& group : report.shared_memory) group.name = base::printable(group.name, 200);
  report.phases = phases_of(evidence);
  report.ends = set_floor_ends(evidence, judged.tree.floor, processes);
  report.growth = explain_growth(evidence, processes, judged.sites, judged.tree);
  report.sites = site_reports(judged.sites);
  add_holders(report, judged.holders);
  if (ceiling) report.limit = ceiling->limit;
  report.events = find_events(evidence);
  report.reconciliation = reconcile(evidence);
  report.overhead = overhead_of(recording, evidence);
  report.trim_trials = trim_trials_of(recording, evidence);
  report.short_lived = judged.processes.short_lived;
  report.short_lived.unseen_at_least = recording.meta<record::Meta::ShortLivedProcesses>();
  if (auto& unseen = report.short_lived.unseen_at_least) {
    *unseen -= std::min<std::uint64_t>(*unseen, evidence.snapshots.size());  // forked by lowtide
  }
  report.short_lived.unseen_at_most = recording.meta<record::Meta::ShortLivedAtMost>();
  add_gpu_lines(evidence, sources, report.gpus);
  report.findings =
      find_all({evidence, processes, judged.sites, judged.holders, report.short_lived, sources, report});
  add_gpu_oom(sources, report);
  report.verdict = settle(std::move(report.verdict), note_fragmented_gpus(report.gpus));
  for (WatchedProcess& process : processes) report.processes.push_back(std::move(process.report));
  report.answer = find_answer(report);
  if (report.answer.kind == model::AnswerKind::Bounded) report.forecast.reset();  // it ends before
  if (const auto why = recording.meta<record::Meta::NoSnapshot>()) {
    report.warnings.push_back({"no snapshot: " + base::printable(*why, 400), 1, 0});
  }
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

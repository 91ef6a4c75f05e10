// How the job ended: the kernel's kill with its last second, or another signal.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/units.h"
#include "explain/evidence/events.h"
#include "explain/findings/advice.h"
#include "explain/findings/catalogue.h"
#include "explain/findings/gpu/gpu_failure.h"
#include "explain/findings/gpu/what_fits.h"
#include "explain/out_of_memory.h"
#include "explain/words.h"

namespace lowtide::explain {
namespace {

using base::format_seconds;

constexpr double kWarnedSeconds = 60;  // time to act: a forecast this early is preferred to a later one
constexpr std::size_t kLastReadings = 8;
constexpr double kLastSeconds = 1.2;

// "1.0 s before: the tree had 3.10 GB, the cgroup 3.98 GB of 4.00 GB"
std::vector<model::Observation> last_second(const Evidence& evidence, double killed_s) {
  std::vector<model::Observation> out;
  std::vector<const TargetMoment*> last;
  for (const TargetMoment& moment : evidence.target_moments) {
    // A reading after the kill has what is left.
    if (moment.at_s <= killed_s && moment.reading.bytes > 0) last.emplace_back(&moment);
  }
  const auto is_early = [&](const TargetMoment* moment) { return moment->at_s < killed_s - kLastSeconds; };
  if (!last.empty() && !is_early(last.back()))
    last.erase(last.begin(), std::find_if_not(last.begin(), last.end(), is_early));
  if (last.size() > kLastReadings) last.erase(last.begin(), last.end() - kLastReadings);
  for (const TargetMoment* moment : last) {
    std::string words =
        fmt::format("{} before the kill: the process tree had {}", format_seconds(killed_s - moment->at_s),
                    bytes_words(static_cast<double>(moment->reading.bytes)));
    const auto group = std::find_if(evidence.cgroup.begin(), evidence.cgroup.end(),
                                    [&](const CgroupMoment& beside) { return beside.at_s == moment->at_s; });
    if (group != evidence.cgroup.end()) {
      words += fmt::format(", the cgroup {}", bytes_words(static_cast<double>(group->reading.current_bytes)));
      if (group->reading.limit_bytes) {
        words += fmt::format(" of {}", base::format_limit(*group->reading.limit_bytes));
      }
    }
    out.emplace_back(std::move(words));
  }
  return out;
}

// The last forecast that left time to act, with the values that it had then.
std::string earlier_forecast(const Evidence& evidence, double killed_s) {
  const model::Judgement* told = nullptr;
  for (const model::Judgement& judgement : evidence.judgements) {
    if (!judgement.forecast || !judgement.forecast->seconds || judgement.at_s > killed_s) continue;
    if (told == nullptr || judgement.at_s + kWarnedSeconds <= killed_s) told = &judgement;
  }
  if (told == nullptr) return "";
  const model::Range& range = *told->forecast->seconds;
  return fmt::format("forecast {} before the kill, at {}: limit of {} reached {} into the run ({} to {})",
                     format_seconds(killed_s - told->at_s), format_seconds(told->at_s),
                     base::format_limit(told->forecast->limit_bytes), format_seconds(range.estimate),
                     format_seconds(range.low),
                     std::isfinite(range.high) ? format_seconds(range.high) : "never");
}

void say_oom(const Scene& scene, const OomKill& kill, Findings& out) {
  const Evidence& evidence = scene.evidence;
  model::Finding finding;
  finding.id = "oom-killed";
  finding.severity = model::Severity::Critical;
  finding.title =
      fmt::format("the kernel killed {} for lack of memory {} into the run",
                  kill.victim != nullptr ? process_words(kill.victim->info) : "a process of the job",
                  format_seconds(kill.at_s));
  if (kill.victim != nullptr) finding.pid = kill.victim->info.pid;
  finding.confidence = 0.99;
  finding.evidence = last_second(evidence, kill.at_s);
  if (!evidence.cgroup.empty() && evidence.cgroup.back().reading.limit_bytes) {
    finding.evidence.emplace_back(fmt::format(
        "the limit of the cgroup is {}", base::format_limit(*evidence.cgroup.back().reading.limit_bytes)));
  }
  if (kill.counted > 0) {
    finding.evidence.emplace_back(
        fmt::format("the cgroup counted {} OOM kill{}", kill.counted, kill.counted == 1 ? "" : "s"));
  }
  if (kill.victim != nullptr) {
    finding.evidence.emplace_back(fmt::format(
        "its last RSS reading was {}", bytes_words(static_cast<double>(kill.victim->bytes.rss_bytes))));
  }
  if (std::string words = earlier_forecast(evidence, kill.at_s); !words.empty()) {
    finding.evidence.emplace_back(std::move(words));
  } else {
    finding.evidence.emplace_back("there was no forecast before the kill: too little data, or no growth");
  }
  finding.fix =
      scene.report.verdict.kind == model::VerdictKind::Leak ? advice::kLeakFirst : advice::kHostPeak;
  out.emplace_back(std::move(finding));
}

// The GPU on which the job had most.
const model::GpuReport* fullest_gpu(const model::Report& report) {
  const auto found = std::max_element(
      report.gpus.begin(), report.gpus.end(),
      [](const auto& a, const auto& b) { return a.process_bytes.value_or(0) < b.process_bytes.value_or(0); });
  return found == report.gpus.end() ? nullptr : &*found;
}

// All of the GPU instead of the tensors alone, where that is known of the moment.
const model::GpuLedger* ledger_at(const model::Report& report, double at_s) {
  for (const model::GpuReport& gpu : report.gpus) {
    for (const auto* ledger : {&gpu.ledger, &gpu.peak_ledger}) {
      if (*ledger && (*ledger)->at_s == at_s) return &**ledger;
    }
  }
  return nullptr;
}

// Activations become fewer with a smaller batch; what a variable holds can be released.
std::string peak_advice(const TensorParts& held, const WhatFits& fits) {
  if (!fits.advice.empty()) return fmt::format("{}", fmt::join(fits.advice, "; or "));
  constexpr double kLargePart = 0.1;
  const bool has_variable =
      static_cast<double>(held.variable_bytes) >= kLargePart * static_cast<double>(model::sum_of(held.parts));
  std::string out = held.is_mostly_graph ? advice::kGpuPeak : "";
  if (has_variable) {
    out += fmt::format("{}release {} ({}) if it is no longer needed", out.empty() ? "" : "; or ",
                       held.variable, bytes_words(static_cast<double>(held.variable_bytes)));
  }
  return out.empty() ? advice::kGpuPeak : out;
}

// How much memory the tensors had between two readings is not known, so no peak is stated.
void say_cuda_oom(const Scene& scene, const model::Event& event, Findings& out) {
  model::Finding finding;
  finding.id = "cuda-out-of-memory";
  finding.severity = model::Severity::Critical;
  finding.title = event.text;
  finding.confidence = 0.99;
  finding.fix = advice::kGpuPeak;
  if (event.is_refused_by_torch) finding.fix = advice::kLimitOfTorch;
  if (const model::GpuReport* gpu = fullest_gpu(scene.report)) {
    finding.pid = gpu->pid;
    if (gpu->process_bytes) {
      finding.evidence.emplace_back(fmt::format("at the last reading the job had {} of the {} on GPU {}",
                                                bytes_words(static_cast<double>(*gpu->process_bytes)),
                                                bytes_words(static_cast<double>(gpu->total_bytes)),
                                                gpu->index));
    }
    if (gpu->series.verdict.kind == model::VerdictKind::Leak) finding.fix = advice::kGpuLeakFirst;
  }
  if (event.at_s) finding.evidence.emplace_back("it failed at " + format_seconds(*event.at_s));
  GpuFailure failure = find_gpu_failure(scene, event);
  if (failure.line) finding.lines.emplace_back(std::move(*failure.line));
  WhatFits fits = find_what_fits(scene.evidence, event, failure);
  if (!failure.held.parts.empty() && finding.fix != advice::kLimitOfTorch)
    finding.fix = peak_advice(failure.held, fits);
  for (std::string& words : fits.evidence) finding.evidence.emplace_back(std::move(words));
  finding.parts = std::move(failure.held.parts);
  if (const model::GpuLedger* ledger = ledger_at(scene.report, failure.at_s)) finding.parts = ledger->parts;
  std::erase_if(finding.parts,
                [](const model::MemoryPart& part) { return part.kind == model::MemoryPartKind::Free; });
  out.emplace_back(std::move(finding));
}

void say_signal(const Scene& scene, const model::ProcessInfo& info, bool is_job, Findings& out) {
  const std::string signal = signal_words(info.exit_status.value_or(0));
  model::Finding finding;
  finding.id = is_job ? model::FindingId("job-ended-by-signal") : model::FindingId("process-ended-by-signal");
  finding.severity = is_job ? model::Severity::Medium : model::Severity::Low;
  finding.title = is_job ? fmt::format("the job was ended by {}", signal)
                         : fmt::format("{} was ended by {}", process_words(info), signal);
  finding.pid = info.pid;
  finding.confidence = 0.99;
  finding.evidence.emplace_back(info.ended_s ? fmt::format("{} into the run", format_seconds(*info.ended_s))
                                             : std::string("read from its exit status"));
  if (!scene.evidence.cgroup.empty()) finding.evidence.emplace_back("the cgroup counted no OOM kill");
  out.emplace_back(std::move(finding));
}

}  // namespace

void find_ending(const Scene& scene, Findings& out) {
  constexpr std::size_t kMostNamed = 3;
  const auto kill = find_oom_kill(scene.evidence);
  if (kill) say_oom(scene, *kill, out);
  const model::Event* const oom = find_fatal_oom(scene.report.events, scene.evidence.has_failed_process());
  if (oom != nullptr && oom->kind == model::EventKind::CudaOom) say_cuda_oom(scene, *oom, out);
  const ProcessEvidence* root = scene.evidence.root();
  if (!kill && root != nullptr && !signal_words(root->info.exit_status.value_or(0)).empty()) {
    say_signal(scene, root->info, true, out);
  }
  // SIGTERM is how a job ends its own workers; SIGKILL and faults are not.
  std::size_t named = 0;
  for (const ProcessEvidence& process : scene.evidence.processes) {
    const int status = process.info.exit_status.value_or(0);
    const bool is_end_of_job = &process == root || (kill && &process == kill->victim);
    if (is_end_of_job || signal_words(status).empty() || status == 128 + 15 || status == 128 + 2) continue;
    if (named++ == kMostNamed) break;
    say_signal(scene, process.info, false, out);
  }
}

}  // namespace lowtide::explain

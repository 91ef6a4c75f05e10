#include "explain/trace.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "explain/evidence/evidence.h"

namespace lowtide::explain {
namespace {

using model::CounterKind;
using model::CounterTrack;

void add_track(model::Trace& trace, CounterKind kind, std::int64_t pid, std::string name,
               const RecordedSeries& series, Pick pick = &SeriesPoint::high_bytes) {
  CounterTrack track{.pid = pid, .name = std::move(name), .points = {}, .kind = kind};
  for (const SeriesPoint& point : series) {
    // A thinned point is two readings, its lowest and its highest.
    if (point.count > 1 && pick == &SeriesPoint::high_bytes) {
      track.points.push_back({point.at_s, static_cast<double>(point.low_bytes)});
      track.points.push_back({point.at_s + point.span_s, static_cast<double>(point.high_bytes)});
    } else {
      track.points.push_back({point.at_s, static_cast<double>(point.*pick)});
    }
  }
  if (!track.points.empty()) trace.counters.push_back(std::move(track));
}

void add_steps(model::Trace& trace, const RecordedSeries& target) {
  CounterTrack track{.pid = 0, .name = "step", .points = {}, .kind = CounterKind::Steps};
  for (const SeriesPoint& point : target) {
    if (!std::isnan(point.step)) track.points.push_back({point.at_s, point.step});
  }
  if (!track.points.empty()) trace.counters.push_back(std::move(track));
}

std::int64_t pid_of(const Evidence& evidence, model::ProcessId id) {
  const ProcessEvidence* process = evidence.find_process(id);
  return process == nullptr ? 0 : process->info.pid;
}

void add_gpus(model::Trace& trace, const Evidence& evidence) {
  for (const GpuEvidence& gpu : evidence.gpus) {
    add_track(trace, CounterKind::Gpu, 0, fmt::format("GPU {} used", gpu.index), gpu.used);
    for (const GpuEvidence::Share& share : gpu.processes) {
      const std::int64_t pid = pid_of(evidence, share.id);
      add_track(trace, CounterKind::Gpu, pid, fmt::format("GPU {}", gpu.index), share.series);
      add_track(trace, CounterKind::Gpu, pid, fmt::format("GPU {} allocated", gpu.index), share.allocated);
      add_track(trace, CounterKind::Gpu, pid, fmt::format("GPU {} reserved", gpu.index), share.reserved);
    }
  }
}

void add_spans(model::Trace& trace, const Evidence& evidence) {
  for (const model::PhaseVisit& visit : evidence.phase_visits) {
    trace.spans.push_back(
        {pid_of(evidence, visit.process), "phases", visit.name, visit.from_s, visit.to_s - visit.from_s});
  }
  for (const record::RecordedSnapshot& look : evidence.snapshots) {
    trace.spans.push_back({pid_of(evidence, look.process), "snapshots",
                           look.snapshot.is_at_end ? "snapshot at the end" : "snapshot", look.snapshot.at_s,
                           look.snapshot.whole_s});
  }
  for (const record::Outage& outage : evidence.outages) {
    trace.spans.push_back({0, "not recorded", outage.why, outage.from_s, outage.to_s - outage.from_s});
  }
  for (const record::RecordedEvent& event : evidence.events) {
    const std::int64_t pid = event.process ? pid_of(evidence, *event.process) : 0;
    trace.spans.push_back({pid, "events", event.event.text, event.event.at_s.value_or(0), 0});
  }
  model::VerdictKind before = model::VerdictKind::Inconclusive;
  for (const model::Judgement& judgement : evidence.judgements) {
    if (judgement.verdict.kind == before) continue;
    before = judgement.verdict.kind;
    trace.spans.push_back({0, "verdict",
                           fmt::format("{}: {}", model::to_string(before), judgement.verdict.reason),
                           judgement.at_s, 0});
  }
}

}  // namespace

model::Trace make_trace(record::Recording& recording) {
  const Evidence evidence = read_evidence(recording);
  model::Trace trace;
  trace.command = evidence.header.command;
  add_track(trace, CounterKind::Job, 0, "memory of the job", evidence.target);
  add_steps(trace, evidence.target);
  for (const ProcessEvidence& process : evidence.processes) {
    trace.processes.push_back({process.info.pid, process.info.command});
    add_track(trace, CounterKind::Process, process.info.pid, "memory", process.series);
    add_track(trace, CounterKind::Resident, process.info.pid, "resident", process.series,
              &SeriesPoint::rss_bytes);
  }
  add_gpus(trace, evidence);
  add_spans(trace, evidence);
  return trace;
}

}  // namespace lowtide::explain

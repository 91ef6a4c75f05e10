#include "explain/evidence/evidence.h"

#include <algorithm>
#include <unordered_map>

namespace lowtide::explain {
namespace {

using model::ProcessId;

void take_bytes(model::ProcessBytes& bytes, const model::ProcessReading& reading, double since_last_s) {
  bytes.rss_bytes = reading.rss_bytes;
  bytes.anon_bytes = reading.anon_bytes;
  bytes.file_bytes = reading.file_bytes;
  bytes.shmem_bytes = reading.shmem_bytes;
  bytes.swap_bytes = reading.swap_bytes;
  if (bytes.pss_age_s) *bytes.pss_age_s += since_last_s;
  if (!reading.pss) return;
  bytes.pss_age_s = 0;
  bytes.pss_bytes = reading.pss->pss_bytes;
  bytes.uss_bytes = reading.pss->uss_bytes;
}

// Readings that may miss what moved between processes would say flat where
// nobody looked: they are judged only where there are no others. Returns all of
// them: the moments at which something was read.
RecordedSeries read_target(record::Recording& recording, Evidence& evidence) {
  constexpr std::size_t kEnough = 3;
  RecordedSeries all;
  recording.for_each_target([&](const record::TargetPoint& point) {
    TrailPoint out = to_trail_point(point);
    out.rss_bytes = point.last.rss_bytes;
    out.file_bytes = point.last.file_bytes;
    out.processes = point.last.processes;
    all.push_back(out);
    if (point.last.exact || point.count > 1) evidence.target.push_back(out);
    evidence.target_moments.push_back({point.at_s, point.last});
  });
  if (evidence.target.size() < kEnough) evidence.target = all;
  return all;
}

void drop_teardowns(Evidence& evidence) {
  const Steps steps = find_steps(evidence.target);
  double all_ended_s = 0;
  bool all_ended = !evidence.processes.empty();
  for (ProcessEvidence& process : evidence.processes) {
    if (process.info.ended_s) {
      drop_teardown(process.trail, steps.end_of_work_s(*process.info.ended_s));
      all_ended_s = std::max(all_ended_s, *process.info.ended_s);
    } else {
      all_ended = false;
    }
  }
  if (all_ended) drop_teardown(evidence.target, steps.end_of_work_s(all_ended_s));
}

void read_processes(record::Recording& recording, Evidence& evidence) {
  std::unordered_map<std::uint32_t, std::size_t> places;
  for (model::ProcessInfo& info : recording.processes()) {
    places.emplace(static_cast<std::uint32_t>(info.id), evidence.processes.size());
    evidence.processes.push_back({std::move(info), {}, {}, 0});
  }
  recording.for_each_process_point([&](const record::ProcessPoint& point) {
    const auto place = places.find(static_cast<std::uint32_t>(point.last.id));
    if (place == places.end()) return;  // a damaged recording: a reading of nobody
    ProcessEvidence& process = evidence.processes[place->second];
    TrailPoint out = to_trail_point(point);
    out.rss_bytes = point.last.rss_bytes;
    out.file_bytes = point.last.file_bytes;
    out.shmem_bytes = point.last.shmem_bytes;
    out.held_bytes = point.last.anon_bytes + point.last.shmem_bytes + point.last.swap_bytes;
    take_bytes(process.bytes, point.last, process.trail.empty() ? 0 : out.at_s - process.trail.back().at_s);
    process.trail.push_back(out);
    if (point.last.pss) ++process.pss_readings;
  });
}

GpuEvidence& gpu_of(Evidence& evidence, int index) {
  const auto found = std::find_if(evidence.gpus.begin(), evidence.gpus.end(),
                                  [&](const GpuEvidence& gpu) { return gpu.index == index; });
  if (found != evidence.gpus.end()) return *found;
  evidence.gpus.push_back({index, {}, {}, {}});
  return evidence.gpus.back();
}

GpuEvidence::Share& gpu_share(GpuEvidence& gpu, ProcessId id) {
  const auto found = std::find_if(gpu.processes.begin(), gpu.processes.end(),
                                  [&](const GpuEvidence::Share& share) { return share.id == id; });
  if (found != gpu.processes.end()) return *found;
  gpu.processes.push_back({id, {}});
  return gpu.processes.back();
}

TrailPoint with_bytes(TrailPoint point, std::uint64_t bytes) {
  point.low_bytes = point.high_bytes = bytes;
  return point;
}

void read_gpus(record::Recording& recording, Evidence& evidence) {
  recording.for_each_gpu([&](const record::GpuPoint& point) {
    GpuEvidence& gpu = gpu_of(evidence, point.last.index);
    gpu.last = point.last;
    gpu.used.push_back(to_trail_point(point));
  });
  recording.for_each_gpu_process([&](const record::GpuProcessPoint& point) {
    GpuEvidence::Share& share = gpu_share(gpu_of(evidence, point.last.index), point.last.id);
    const TrailPoint out = to_trail_point(point);
    share.trail.push_back(out);
    if (!point.last.torch) return;
    const std::uint64_t reserved = point.last.torch->reserved_bytes;
    // torch's count is older than the driver's: what lies outside is known while torch's does not move.
    if (share.torch && share.torch->reserved_bytes != reserved && !share.outside.empty())
      share.outside.pop_back();
    share.torch = point.last.torch;
    share.allocated.push_back(with_bytes(out, point.last.torch->allocated_bytes));
    share.reserved.push_back(with_bytes(out, reserved));
    share.pinned.push_back(with_bytes(out, point.last.torch->pinned_bytes));
    share.outside.push_back(with_bytes(out, point.last.bytes - std::min(point.last.bytes, reserved)));
  });
}

}  // namespace

const ProcessEvidence* Evidence::find_process(ProcessId id) const {
  const auto found = std::find_if(processes.begin(), processes.end(),
                                  [&](const ProcessEvidence& process) { return process.info.id == id; });
  return found == processes.end() ? nullptr : &*found;
}

const ProcessEvidence* Evidence::root() const {
  const auto found = std::find_if(processes.begin(), processes.end(), [&](const ProcessEvidence& process) {
    return process.info.pid == header.root_pid;
  });
  return found == processes.end() ? nullptr : &*found;
}

void set_windows(Evidence& evidence) {
  if (evidence.target.empty()) return;
  constexpr double kStart = 0.05;  // the first moments after the start-up still settle
  constexpr double kEarly = 0.20;
  constexpr double kLate = 0.85;
  const double first_s = evidence.steps.known ? evidence.steps.first_at_s : evidence.target.front().at_s;
  const TrailPoint& last = evidence.target.back();
  const double span_s = evidence.steps.end_of_work_s(last.at_s + last.span_s) - first_s;
  evidence.early = {first_s + kStart * span_s, first_s + kEarly * span_s};
  evidence.late = {first_s + kLate * span_s, first_s + span_s};
}

model::SeriesReport judge_part(const RecordedSeries& trail, const Evidence& evidence) {
  model::SeriesReport out = judge_trail(trail, evidence.steps);
  // That costs a hundred times as much: asked only where it matters.
  if (evidence.is_running && out.verdict.kind == model::VerdictKind::Leak) {
    out.verdict = judge_live(trail, evidence.steps);
  }
  return out;
}

Evidence read_evidence(record::Recording& recording) {
  Evidence evidence;
  evidence.header = recording.header();
  evidence.closed = recording.closed_cleanly();
  evidence.last_at_s = recording.last_at_s();
  evidence.lost_ticks = recording.lost_ticks();
  evidence.events = recording.events();
  evidence.judgements = recording.judgements();
  evidence.outages = recording.outages();
  evidence.ticks = read_target(recording, evidence);
  read_processes(recording, evidence);
  recording.for_each_cgroup([&](const record::CgroupPoint& point) {
    evidence.cgroup.push_back({point.at_s, point.last});
  });
  recording.for_each_host([&](const record::HostPoint& point) {
    evidence.host.push_back({point.at_s, point.last});
  });
  read_gpus(recording, evidence);
  evidence.phases = recording.phases();
  evidence.phase_visits = recording.phase_visits();
  evidence.sites = read_sites(recording);
  evidence.heaps = read_heaps(recording);
  evidence.snapshots = recording.snapshots();
  drop_teardowns(evidence);
  fill_between(evidence.target, evidence.ticks);
  for (ProcessEvidence& process : evidence.processes) fill_between(process.trail, evidence.ticks);
  evidence.steps = find_steps(evidence.target);
  set_windows(evidence);
  return evidence;
}

}  // namespace lowtide::explain

#include "explain/evidence/evidence.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <unordered_map>

#include "explain/evidence/bounded_series.h"
#include "explain/evidence/forked_children.h"

namespace lowtide::explain {
namespace {

using model::ProcessId;

constexpr std::size_t kMostFilledPoints = 500'000;  // of all processes together

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
  BoundedSeries<SeriesPoint> all(kMostTreePoints);
  BoundedSeries<SeriesPoint> judged(kMostTreePoints);
  BoundedSeries<TargetMoment> moments(kMostTreePoints);
  recording.for_each_target([&](const record::TargetPoint& point) {
    SeriesPoint out = to_series_point(point);
    out.rss_bytes = point.last.rss_bytes;
    out.file_bytes = point.last.file_bytes;
    out.processes = point.last.processes;
    all.add(out);
    if (point.last.exact || point.count > 1) judged.add(out);
    moments.add({point.at_s, point.last});
  });
  evidence.target_moments = moments.take();
  RecordedSeries ticks = all.take();
  evidence.target = judged.size() < kEnough ? ticks : judged.take();
  return ticks;
}

template <typename Moment, typename Point>
std::vector<Moment> read_moments(
    record::Recording& recording,
    void (record::Recording::*for_each)(const std::function<void(const Point&)>&)) {
  BoundedSeries<Moment> moments(kMostTreePoints);
  (recording.*for_each)([&](const Point& point) { moments.add({point.at_s, point.last}); });
  return moments.take();
}

// An interpreter may take long to end: large objects are freed, and it waits for the snapshot of its end.
std::optional<double> end_of_work(const Evidence& evidence, const model::ProcessInfo& process) {
  const auto found = std::find_if(evidence.snapshots.begin(), evidence.snapshots.end(),
                                  [&](const record::RecordedSnapshot& taken) {
                                    return taken.process == process.id && taken.snapshot.is_at_end;
                                  });
  if (found == evidence.snapshots.end()) return process.ended_s;
  return std::min(found->snapshot.at_s, process.ended_s.value_or(found->snapshot.at_s));
}

void drop_packing_up(Evidence& evidence) {
  const Steps steps = find_steps(evidence.target);
  std::optional<double> all_ended_s;
  bool all_ended = !evidence.processes.empty();
  for (ProcessEvidence& process : evidence.processes) {
    process.work_ended_s = end_of_work(evidence, process.info);
    drop_packing_up(process.series, steps, process.work_ended_s);
    if (process.info.role == model::ProcessRole::Wrapper) continue;  // it only waits for the others
    all_ended = all_ended && process.work_ended_s.has_value();
    if (process.work_ended_s) all_ended_s = std::max(all_ended_s.value_or(0), *process.work_ended_s);
  }
  drop_packing_up(evidence.target, steps, all_ended ? all_ended_s : std::nullopt);
}

// Many processes share the room; those that live briefly need none.
std::size_t points_per_process(const Evidence& evidence) {
  constexpr std::size_t kMostOfAll = 49'152;
  constexpr std::size_t kFewest = 512;
  constexpr double kBriefly = 0.1;  // of the run
  std::size_t lasting = 1;
  for (const ProcessEvidence& process : evidence.processes) {
    const double ended_s = process.info.ended_s.value_or(evidence.last_at_s);
    if (ended_s - process.info.started_s > kBriefly * evidence.last_at_s) ++lasting;
  }
  return std::clamp(kMostOfAll / lasting, kFewest, kMostPoints);
}

void read_processes(record::Recording& recording, Evidence& evidence) {
  std::unordered_map<std::uint32_t, std::size_t> places;
  for (model::ProcessInfo& info : recording.processes()) {
    places.emplace(static_cast<std::uint32_t>(info.id), evidence.processes.size());
    evidence.processes.push_back({.info = std::move(info)});
  }
  std::vector<BoundedSeries<SeriesPoint>> each_series(
      evidence.processes.size(), BoundedSeries<SeriesPoint>(points_per_process(evidence)));
  recording.for_each_process_point([&](const record::ProcessPoint& point) {
    const auto place = places.find(static_cast<std::uint32_t>(point.last.id));
    if (place == places.end()) return;  // a damaged recording: a reading of nobody
    ProcessEvidence& process = evidence.processes[place->second];
    BoundedSeries<SeriesPoint>& series = each_series[place->second];
    SeriesPoint out = to_series_point(point);
    out.rss_bytes = point.last.rss_bytes;
    out.file_bytes = point.last.file_bytes;
    out.shmem_bytes = point.last.shmem_bytes;
    out.held_bytes = point.last.anon_bytes + point.last.shmem_bytes + point.last.swap_bytes;
    out.writable_bytes = point.last.writable_bytes;
    take_bytes(process.bytes, point.last, series.empty() ? 0 : out.at_s - series.back().at_s);
    series.add(out);
    if (point.last.pss) ++process.pss_readings;
  });
  for (std::size_t at = 0; at < each_series.size(); ++at)
    evidence.processes[at].series = each_series[at].take();
}

}  // namespace

const ProcessEvidence* Evidence::find_process(ProcessId id) const {
  const auto found = std::find_if(processes.begin(), processes.end(),
                                  [&](const ProcessEvidence& process) { return process.info.id == id; });
  return found == processes.end() ? nullptr : &*found;
}

bool Evidence::has_failed_process() const {
  return std::any_of(processes.begin(), processes.end(), [](const ProcessEvidence& process) {
    return process.info.exit_status.value_or(0) != 0;
  });
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
  const SeriesPoint& last = evidence.target.back();
  const double span_s = evidence.steps.end_of_work_s(last.at_s + last.span_s) - first_s;
  evidence.early = {first_s + kStart * span_s, first_s + kEarly * span_s};
  evidence.late = {first_s + kLate * span_s, first_s + span_s};
}

model::SeriesReport judge_part(const RecordedSeries& series, const Evidence& evidence) {
  // The estimate is that of a run that has ended.
  model::SeriesReport out = judge_series(
      series, evidence.steps, evidence.is_running ? judge::Needs::NotEstimated : judge::Needs::Estimated);
  // That costs a hundred times as much: asked only where it matters.
  if (evidence.is_running && out.verdict.kind == model::VerdictKind::Leak) {
    out.verdict = judge_live(series, evidence.steps);
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
  count_shared_pages_of_parents(evidence);
  evidence.cgroup = read_moments<CgroupMoment>(recording, &record::Recording::for_each_cgroup);
  evidence.host = read_moments<HostMoment>(recording, &record::Recording::for_each_host);
  evidence.tmpfs = read_tmpfs(recording);
  evidence.gpus = read_gpus(recording);
  evidence.phases = recording.phases();
  evidence.phase_visits = recording.phase_visits();
  evidence.sites = read_sites(recording);
  evidence.driver_sites = take_driver_sites(evidence.sites);
  evidence.heaps = read_heaps(recording);
  evidence.libraries = recording.libraries();
  evidence.shared_objects = recording.meta<record::Meta::SharedObjects>().value_or("");
  evidence.shared_groups = recording.shared_groups();
  evidence.snapshots = recording.snapshots();
  drop_packing_up(evidence);
  evidence.target = bounded(fill_between(evidence.target, evidence.ticks), kMostTreePoints);
  const std::size_t most_points = points_per_process(evidence);
  std::size_t points = 0;
  for (ProcessEvidence& process : evidence.processes) {
    if (points < kMostFilledPoints)
      process.series = bounded(fill_between(process.series, evidence.ticks), most_points);
    points += process.series.size();
  }
  evidence.steps = find_steps(evidence.target);
  set_windows(evidence);
  return evidence;
}

}  // namespace lowtide::explain

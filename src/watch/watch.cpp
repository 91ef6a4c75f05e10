#include "watch/watch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "base/clock.h"
#include "observe/cpu_time.h"
#include "procfs/process_files.h"
#include "watch/series_answer.h"

namespace lowtide::watch {
namespace {

// A verdict costs up to half a millisecond.
constexpr double kJudgeEveryS = 2.0;
// With --interval, which is used for short runs.
constexpr double kTicksBetweenSites = 4;

// How often a judgement is recorded although its kind is the same. After a kill the report shows the forecast
// of minutes before.
double keep_after_s(double at_s) {
  return at_s < 600 ? 15.0 : 60.0;
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Not ru_maxrss: it includes the memory before exec, which after a vfork is that of the parent.
std::uint64_t peak_rss_bytes(const procfs::Roots& roots) {
  auto files = procfs::ProcessFiles::open(roots, ::getpid());
  if (!files) return 0;
  const auto status = files.value().read_status();
  return status ? status.value().hwm_bytes : 0;
}

std::string_view words_of(wire::OffReason reason) {
  switch (reason) {
    case wire::OffReason::Sanitizer:
      return "it runs with a sanitizer, which replaces the allocator";
    case wire::OffReason::Valgrind:
      return "it runs under Valgrind, which replaces the allocator";
    case wire::OffReason::NoMemory:
      return "no shared memory could be created";
    case wire::OffReason::NoAllocator:
      return "it has no malloc that the agent could call";
    case wire::OffReason::PathTooLong:
      return "the path of the socket is too long";
    case wire::OffReason::NoMonitor:
    case wire::OffReason::MonitorSilent:
      return "no monitor was reading its data";
    case wire::OffReason::DetachAsked:
      return "it was asked to stop";
    case wire::OffReason::Seccomp:
      return "it installed a seccomp filter, which could kill it for a system call of the agent";
    case wire::OffReason::OwnAllocator:
      return "the program has its own malloc";
    case wire::OffReason::None:
    case wire::OffReason::Confused:
      break;
  }
  return "it detected an inconsistency and stopped";
}

}  // namespace

Watch::Watch(const Options& options, double began_s, std::optional<record::Writer> writer,
             observe::Monitor monitor)
    : pace_(options.interval_s),
      began_s_(began_s),
      writer_(std::move(writer)),
      monitor_(std::move(monitor)),
      snapshots_(options.take_snapshots
                     ? std::optional<SnapshotScheduler>(options.monitor.tree.adopts_orphans)
                     : std::nullopt) {
  if (writer_) recording_judge_.emplace(writer_->path(), options.monitor.limit_bytes);
  if (options.copy_sources) source_copies_.emplace(options.source_folder);
}

base::Result<Watch> Watch::begin(const Options& options, double began_s,
                                 std::optional<record::Writer> writer) {
  if (options.interval_s && options.monitor.agents != nullptr) {
    options.monitor.agents->read_sites_every(std::min(1.0, kTicksBetweenSites * *options.interval_s));
  }
  auto monitor = observe::Monitor::open(options.monitor, base::steady_seconds() - began_s);
  if (!monitor) return std::move(monitor).error();
  return Watch(options, began_s, std::move(writer), std::move(monitor).value());
}

double Watch::at_s() const {
  return base::steady_seconds() - began_s_;
}

double Watch::budgeted_s() const {
  return monitor_.budget().spent_s() + (monitor_.agents() != nullptr ? monitor_.agents()->spent_s() : 0);
}

double Watch::tick(double step) {
  const double at_s = this->at_s();
  const double cpu_before_s = observe::thread_cpu_seconds();
  const double apart_before_s = budgeted_s();
  if (first_ && writer_) {
    // The processes that were there at the start are recorded before the first refresh.
    for (const observe::Member& member : monitor_.tree().members()) writer_->begin_process(member.info);
  }
  first_ = false;
  latest_ = &monitor_.tick(at_s, step);
  has_seen_ = has_seen_ || !monitor_.tree().empty();
  if (!monitor_.tree().empty()) judge(*latest_);
  if (monitor_.agents() != nullptr) monitor_.agents()->note_growth(model::may_leak(judgement_.verdict));
  if (snapshots_)
    snapshots_->tick(monitor_, *latest_, may_leak_ || model::may_leak(of_series_.verdict),
                     writer_ ? &*writer_ : nullptr);
  record(*latest_);

  // PSS and the agents have their own budgets; ticks without them are cheap.
  const double apart_s = budgeted_s() - apart_before_s;
  PaceClues clues{.at_s = at_s,
                  .tick_cost_s = observe::thread_cpu_seconds() - cpu_before_s - apart_s,
                  .cost_before_s = cost_before_s_};
  cost_before_s_ = clues.tick_cost_s;
  if (const auto& limit = monitor_.limit(); limit && limit->limit_bytes > 0) {
    clues.room_share =
        static_cast<double>(limit->reach_bytes - std::min(limit->reach_bytes, latest_->target.bytes)) /
        static_cast<double>(limit->limit_bytes);
  }
  for (const model::TmpfsReading& tmpfs : latest_->tmpfs) {
    if (tmpfs.job_bytes == 0) continue;
    const auto room_bytes = tmpfs.total_bytes - std::min(tmpfs.total_bytes, tmpfs.used_bytes);
    clues.room_share =
        std::min(clues.room_share, static_cast<double>(room_bytes) / static_cast<double>(tmpfs.total_bytes));
  }
  if (latest_->host) clues.pressure_percent = latest_->host->pressure_percent.value_or(0);
  return pace_.wait_s(clues);
}

void Watch::judge(const model::Tick& tick) {
  // The time before the first step is start-up: imports, the model, the data.
  if (!std::isnan(tick.step) && !has_steps_) {
    has_steps_ = true;
    live_ = {};
  }
  if (tick.target.exact) live_.add({.at_s = tick.at_s, .step = tick.step, .bytes = tick.target.bytes});
  peak_bytes_ = std::max(peak_bytes_, tick.target.bytes);
  const model::VerdictKind before = judgement_.verdict.kind;
  if (tick.at_s >= next_judgement_s_) {
    next_judgement_s_ = tick.at_s + kJudgeEveryS;
    judge_series(tick);
    if (!is_of_recording_) {
      judgement_ = of_series_;
      answer_ = series_answer(of_series_, tick, peak_bytes_);
    }
  }
  if (recording_judge_) {
    if (auto judged = recording_judge_->take(tick.at_s)) {
      judgement_ = std::move(judged->judgement);
      answer_ = std::move(judged->answer);
      may_leak_ = judged->may_leak;
      is_of_recording_ = true;
    }
    recording_judge_->begin_if_due(tick.at_s, base::unix_seconds());
  }
  if (!writer_ || (judgement_.verdict.kind == before && tick.at_s < next_kept_s_)) return;
  next_kept_s_ = tick.at_s + keep_after_s(tick.at_s);
  writer_->add_judgement(judgement_);
}

void Watch::judge_series(const model::Tick& tick) {
  of_series_.at_s = tick.at_s;
  of_series_.verdict = live_.verdict();
  of_series_.forecast.reset();
  if (const auto& limit = monitor_.limit()) {
    of_series_.forecast = live_.detector().forecast(limit->kind, limit->reach_bytes);
    if (of_series_.forecast) of_series_.forecast->limit_bytes = limit->limit_bytes;
  }
}

void Watch::record(const model::Tick& tick) {
  if (!writer_) return;
  record_changes();
  if (const observe::AgentRegistry* agents = monitor_.agents()) {
    for (const model::SiteInfo& site : agents->begun()) writer_->begin_site(site);
  }
  library_versions_.tick(monitor_, *writer_);
  if (source_copies_) source_copies_->tick(monitor_, snapshots(), base::unix_seconds(), tick.at_s, *writer_);
  if (!monitor_.tree().empty()) writer_->add(tick);
  for (const model::Event& event : monitor_.events()) writer_->add_event(event, std::nullopt);
  note_blind_spots();
  // Memfds of a job that has ended are gone, and were there.
  if (!monitor_.tree().empty()) note_shared_objects();
  writer_->commit();
}

void Watch::record_changes() {
  const observe::ProcessTree& tree = monitor_.tree();
  for (const model::ProcessInfo& process : tree.begun()) writer_->begin_process(process);
  for (const model::ProcessInfo& process : tree.changed()) writer_->update_process(process);
  for (const model::ProcessInfo& process : tree.ended()) writer_->update_process(process);
  for (const model::Phase& phase : latest_->phases) writer_->update_phase(phase);
  for (const model::PhaseVisit& visit : latest_->phase_visits) writer_->add_phase_visit(visit);
}

double Watch::poll_agents() {
  observe::AgentRegistry* const agents = monitor_.agents();
  if (agents == nullptr) return std::numeric_limits<double>::infinity();
  agents->poll();
  return agents->wait_s();
}

// How complete the data of the agents is.
void Watch::note_agents() {
  const observe::AgentRegistry* const agents = monitor_.agents();
  if (agents == nullptr) return;
  const observe::AgentSummary summary = agents->summary();
  std::string note = summary.note;
  for (const auto& [reason, count] : summary.off) {
    note += fmt::format("{}off in {} process{}: {}", note.empty() ? "" : "; ", count, count == 1 ? "" : "es",
                        words_of(reason));
  }
  if (summary.dropped > 0) {
    note += fmt::format("{}{} of {} samples were lost", note.empty() ? "" : "; ", summary.dropped,
                        summary.samples);
  }
  constexpr double kMostSteps = 9e15;
  if (const double steps = monitor_.steps_told(); steps >= 0 && steps < kMostSteps) {
    writer_->set_meta<record::Meta::StepsTold>(static_cast<std::uint64_t>(steps));
  }
  const bool on = summary.processes > 0;
  writer_->set_meta<record::Meta::AgentState>(on ? "on" : summary.off.empty() ? "off" : "switched-off");
  writer_->set_meta<record::Meta::AgentNote>(note);
  if (const auto& names = agents->unfollowed(); !names.empty())
    writer_->set_meta<record::Meta::CudaNotFollowed>(fmt::format("{}", fmt::join(names, ", ")));
  writer_->set_meta<record::Meta::AgentSamples>(summary.samples);
  writer_->set_meta<record::Meta::AgentSamplesLost>(summary.dropped);
  writer_->set_meta<record::Meta::AgentMonitorSeconds>(agents->spent_s());
  writer_->set_meta<record::Meta::AgentSeconds>(static_cast<double>(summary.sampling_ns) * 1e-9);
}

void Watch::note_shared_objects() {
  const observe::SharedObjects& objects = monitor_.shared_objects();
  for (const model::TmpfsReading& tmpfs : latest_->tmpfs) {
    if (tmpfs_.insert(tmpfs.index).second)
      writer_->set_meta<record::Meta::TmpfsPath>(objects.path_of(tmpfs.index),
                                                 static_cast<std::size_t>(tmpfs.index));
  }
  const std::vector<model::SharedGroup>& groups = objects.groups();
  // What a job removes at its end stays on record.
  if (groups.empty() || groups == shared_groups_) return;
  for (const model::SharedGroup& group : groups) writer_->update_shared_group(group);
  for (std::size_t at = groups.size(); at < shared_groups_.size(); ++at)
    writer_->update_shared_group({.place = static_cast<std::uint32_t>(at)});
  shared_groups_ = groups;
  writer_->set_meta<record::Meta::SharedObjects>(objects.largest_words());
}

void Watch::note_blind_spots() {
  const auto& notes = monitor_.blind_spots();
  for (; noted_ < notes.size(); ++noted_) writer_->set_meta<record::Meta::NotSeen>(notes[noted_], noted_ + 1);
}

void Watch::note_not_entered(const std::vector<std::string>& texts, std::size_t more) {
  if (!writer_ || (texts == not_entered_ && texts.size() + more == not_entered_count_)) return;
  not_entered_ = texts;
  not_entered_count_ = texts.size() + more;
  for (std::size_t at = 0; at < std::min(texts.size(), record::kMostNotEntered); ++at) {
    writer_->set_meta<record::Meta::NotEntered>(texts[at], at + 1);
  }
  writer_->set_meta<record::Meta::NotEnteredCount>(not_entered_count_);
}

void Watch::add_event(model::EventKind kind, const std::string& text) {
  if (writer_) writer_->add_event({.kind = kind, .at_s = at_s(), .text = text}, std::nullopt);
}

void Watch::try_trim(double patience_s) {
  constexpr double kMoreIfBegunS = 30;
  constexpr auto kNap = std::chrono::milliseconds(10);
  observe::AgentRegistry* const agents = monitor_.agents();
  if (agents == nullptr) return;
  agents->ask_trims();
  const double began_s = base::steady_seconds();
  while (agents->awaits_trims()) {
    const double waited_s = base::steady_seconds() - began_s;
    const double most_s = patience_s + (agents->is_trimming() ? kMoreIfBegunS : 0);
    if (waited_s >= most_s) break;
    agents->poll();  // otherwise the agents stop sending
    std::this_thread::sleep_for(kNap);
  }
  trim_trials_ = agents->trials(at_s(), monitor_.tree());
  if (!writer_) return;
  for (const model::TrimTrial& trial : trim_trials_) writer_->add_trim_trial(trial);
  writer_->commit();
}

void Watch::end() {
  if (!writer_) return;
  recording_judge_.reset();  // with an open reader, SQLite would leave a second file
  const double took_s = std::max(at_s(), 1e-3);
  if (judgement_.verdict.samples > 0) writer_->add_judgement(judgement_);
  writer_->set_meta<record::Meta::MonitorCpuShare>(cpu_seconds() / took_s);
  writer_->set_meta<record::Meta::MonitorRssBytes>(peak_rss_bytes({}));
  note_agents();
  writer_->set_meta<record::Meta::PssSeconds>(monitor_.budget().spent_s());
  writer_->set_meta<record::Meta::PssLongestSeconds>(monitor_.budget().longest_s());
  writer_->set_meta<record::Meta::ShortLivedProcesses>(monitor_.tree().short_lived());
  writer_->set_meta<record::Meta::ShortLivedAtMost>(monitor_.tree().short_lived_at_most());
  for (const gpu::Device& gpu : monitor_.gpus()) {
    writer_->set_meta<record::Meta::GpuName>(gpu.name, static_cast<std::size_t>(gpu.index));
  }
  writer_->close();
}

}  // namespace lowtide::watch

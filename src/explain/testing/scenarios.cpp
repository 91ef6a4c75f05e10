#include "explain/testing/scenarios.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "explain/testing/forked_scenarios.h"
#include "explain/testing/gpu_scenarios.h"
#include "explain/testing/scenario_stage.h"
#include "explain/testing/site_scenarios.h"

namespace lowtide::explain {
namespace {

model::CgroupReading cgroup_of(const model::Tick& tick, double cache, double kernel,
                               std::uint64_t limit_bytes) {
  model::CgroupReading group;
  group.anon_bytes = tick.target.bytes;
  group.file_bytes = whole(cache);
  group.kernel_bytes = whole(kernel);
  group.current_bytes = tick.target.bytes + whole(cache) + whole(kernel);
  group.limit_bytes = limit_bytes;
  return group;
}

void play_wrapper(record::Writer& writer) {
  Stage stage(writer);
  const auto sh = stage.enter(100, 1, model::ProcessRole::Wrapper, "sh -c python leak.py");
  const auto child = stage.enter(101, 100, model::ProcessRole::Trainer, "/usr/bin/python leak.py", 0.1);
  stage[sh].own = 0.4 * kMB;
  for (int at = 0; at < kTicks; ++at) {
    stage[child].own = 200 * kMB * settled(at) + 1.0 * kMB * at + stage.noise(2 * kMB);
    stage.put(stage.tick(at, at < 5 ? model::kUnknown : 3.0 * (at - 5)));
  }
  stage.end(kTicks);
}

void play_overhead(record::Writer& writer) {
  Stage stage(writer);
  const auto main = stage.enter(100, 1, model::ProcessRole::Trainer, "python train.py");
  for (int worker = 0; worker < 20; ++worker) {
    const auto at = stage.enter(200 + worker, 100, model::ProcessRole::Worker, "python train.py");
    stage[at].info.index = worker;
    stage[at].shared = 900 * kMB;
    writer.update_process(stage[at].info);
  }
  for (int at = 0; at < 300; ++at) {
    stage[main].own = 1.2 * kGB * settled(at) + stage.noise(2 * kMB);
    for (std::size_t worker = 1; worker < stage.size(); ++worker) {
      stage[worker].own = 400 * kMB * settled(at) + stage.noise(0.3 * kMB);
    }
    stage.put(stage.tick(at, model::kUnknown));
  }
  stage.end(300);
}

// One worker more every two seconds, until `stop`; none of them grows.
void play_more_workers(record::Writer& writer, int stop) {
  Stage stage(writer);
  const auto main = stage.enter(100, 1, model::ProcessRole::Trainer, "python train.py");
  for (int at = 0; at < 40; ++at) {
    stage[main].own = 150 * kMB + stage.noise(0.5 * kMB);
    if (at % 2 == 1 && at < stop) {
      const auto worker = stage.enter(200 + at, 100, model::ProcessRole::Worker, "python train.py", at);
      stage[worker].own = 18 * kMB;
    }
    for (int part = 0; part < 4; ++part) stage.put(stage.tick(at + 0.25 * part, 7.5 * at + 2 * part));
  }
  stage.end(40);
}

void play_pile_up(record::Writer& writer) {
  play_more_workers(writer, 40);
}

void play_workers_start(record::Writer& writer) {
  play_more_workers(writer, 20);
}

void play_page_cache(record::Writer& writer) {
  Stage stage(writer);
  const auto main = stage.enter(100, 1, model::ProcessRole::Trainer, "python read_tokens.py");
  for (int at = 0; at < kTicks; ++at) {
    stage[main].own = 250 * kMB * settled(at) + stage.noise(0.5 * kMB);
    stage[main].file = 1.0 * kMB * at;
    model::Tick tick = stage.tick(at, 2.0 * at);
    tick.cgroup = cgroup_of(tick, 1.1 * kMB * at, 20 * kMB, 8ULL << 30U);
    stage.put(tick);
  }
  stage.end(kTicks);
}

void play_respawned(record::Writer& writer) {
  Stage stage(writer);
  const auto main = stage.enter(100, 1, model::ProcessRole::Trainer, "python train.py");
  std::array<std::size_t, 4> workers{};
  std::int64_t pid = 200;
  for (int at = 0; at < kTicks; ++at) {
    stage[main].own = 500 * kMB * settled(at) + stage.noise(1 * kMB);
    const int age = at % 50;
    for (std::size_t& worker : workers) {
      if (age == 0) {
        if (at > 0) stage.leave(worker, at, 0);
        worker = at == 0 ? stage.enter(pid, 100, model::ProcessRole::Worker, "python train.py")
                         : stage.follow(worker, pid, at);
        ++pid;
      }
      stage[worker].own = 150 * kMB * std::min(1.0, 0.1 + 0.1 * age) + stage.noise(1 * kMB);
    }
    stage.put(stage.tick(at, model::kUnknown));
  }
  stage.end(kTicks);
}

void play_shared_memory(record::Writer& writer) {
  Stage stage(writer);
  const auto main = stage.enter(100, 1, model::ProcessRole::Trainer, "python train.py");
  for (int at = 0; at < kTicks; ++at) {
    stage[main].shmem = 0.75 * kMB * at;
    stage[main].own = 190 * kMB * settled(at) + stage[main].shmem + stage.noise(1 * kMB);
    stage.put(stage.tick(at, 2.0 * at));
  }
  stage.end(kTicks);
}

// A leak, and segments in /dev/shm that no process of the job maps.
void play_foreign_shared_memory(record::Writer& writer, double other_anon, double rest) {
  Stage stage(writer);
  const auto main = stage.enter(100, 1, model::ProcessRole::Trainer, "python train.py");
  for (int at = 0; at < kTicks; ++at) {
    stage[main].own = 190 * kMB * settled(at) + 0.75 * kMB * at + stage.noise(1 * kMB);
    model::Tick tick = stage.tick(at, 2.0 * at);
    tick.cgroup = cgroup_of(tick, 60 * kMB, rest, 64ULL << 30U);
    tick.cgroup->anon_bytes += static_cast<std::uint64_t>(other_anon);
    tick.cgroup->shmem_bytes = static_cast<std::uint64_t>(0.5 * kMB * at);
    tick.host = model::HostReading{64ULL << 30U, 50ULL << 30U, tick.cgroup->shmem_bytes, 0.0};
    stage.put(tick);
  }
  stage.end(kTicks);
}

void play_neighbours_shared_memory(record::Writer& writer) {
  play_foreign_shared_memory(writer, 3 * kGB, 3 * kGB);
}

// In a cgroup that may be the job's own.
void play_unmapped_shared_memory(record::Writer& writer) {
  play_foreign_shared_memory(writer, 0, 30 * kMB);
}

// Files that the job writes to a small /dev/shm, in which another job has files too.
void play_filling_tmpfs(record::Writer& writer) {
  Stage stage(writer);
  constexpr std::uint64_t kSize = 1ULL << 30U;
  const auto main = stage.enter(100, 1, model::ProcessRole::Trainer, "python train.py");
  writer.set_meta<record::Meta::TmpfsPath>("/dev/shm", 0);
  model::TmpfsReading tmpfs{.total_bytes = kSize};
  for (int at = 0; at < kTicks; ++at) {
    stage[main].own = 190 * kMB * settled(at) + stage.noise(1 * kMB);
    model::Tick tick = stage.tick(at, 2.0 * at);
    tmpfs.job_bytes = whole(0.75 * kMB * at);
    tmpfs.used_bytes = tmpfs.job_bytes + whole(200 * kMB);
    tick.tmpfs = {tmpfs};
    tick.target.unmapped_bytes = tmpfs.job_bytes;
    tick.target.bytes += tmpfs.job_bytes;
    tick.host = model::HostReading{64ULL << 30U, 50ULL << 30U, tmpfs.used_bytes, 0.0};
    stage.put(tick);
  }
  writer.update_shared_group({.name = "/dev/shm/batches-*/batch*.npy",
                              .count = kTicks,
                              .bytes = tmpfs.job_bytes,
                              .link = model::SharedLink::Name,
                              .pid = 100,
                              .processes = 1,
                              .pid_bytes = tmpfs.job_bytes});
  stage.end(kTicks);
}

void play_oom(record::Writer& writer) {
  Stage stage(writer);
  constexpr std::uint64_t kLimit = 4ULL << 30U;
  const auto main = stage.enter(100, 1, model::ProcessRole::Trainer, "python train.py");
  double at_s = 0;
  for (int at = 0; at < kTicks; ++at) {
    at_s = at;
    stage[main].own = 1.0 * kGB * settled(at) + 5.2 * kMB * at + stage.noise(4 * kMB);
    model::Tick tick = stage.tick(at_s, 4.0 * at);
    tick.cgroup = cgroup_of(tick, 60 * kMB, 30 * kMB, kLimit);
    tick.host = model::HostReading{64ULL << 30U, 50ULL << 30U, 0, 0.0};
    stage.put(tick);
    if (at == 300) {
      model::Judgement judgement;
      judgement.at_s = at_s;
      judgement.verdict.kind = model::VerdictKind::Leak;
      judgement.forecast =
          model::Forecast{model::LimitKind::Cgroup, kLimit, std::nullopt, model::Range{612, 600, 625}};
      writer.add_judgement(judgement);
    }
  }
  model::Tick last = stage.tick(at_s + 1, 4.0 * kTicks);
  last.cgroup = cgroup_of(last, 60 * kMB, 30 * kMB, kLimit);
  last.cgroup->oom_kills = 1;
  stage.put(last);
  stage.end(kTicks + 1.2, 137);
}

void play_warmup(record::Writer& writer) {
  Stage stage(writer);
  const auto main = stage.enter(100, 1, model::ProcessRole::Trainer, "python train.py");
  for (int at = 0; at < kTicks; ++at) {
    stage[main].own = 300 * kMB + 200 * kMB * std::min(1.0, at / 90.0) + stage.noise(1 * kMB);
    stage.put(stage.tick(at, 2.0 * at));
  }
  stage.end(kTicks);
}

void play_spikes(record::Writer& writer) {
  Stage stage(writer);
  const auto main = stage.enter(100, 1, model::ProcessRole::Trainer, "python train.py");
  for (int at = 0; at < kTicks; ++at) {
    const double spike = at % 60 >= 55 ? 170 * kMB : 0;
    stage[main].own = 220 * kMB * settled(at) + spike + stage.noise(1 * kMB);
    stage.put(stage.tick(at, 2.0 * at));
  }
  stage.end(kTicks);
}

void play_sawtooth(record::Writer& writer) {
  Stage stage(writer);
  const auto main = stage.enter(100, 1, model::ProcessRole::Trainer, "python train.py");
  for (int at = 0; at < kTicks; ++at) {
    const double garbage = 170 * kMB * (at % 40) / 40;
    stage[main].own = 220 * kMB * settled(at) + garbage + stage.noise(1 * kMB);
    stage.put(stage.tick(at, 2.0 * at));
    if (at % 50 != 25) continue;
    // No variable holds what comes and goes.
    model::Snapshot look;
    look.at_s = at;
    look.has_holders = true;
    look.object_bytes = whole(50 * kMB + garbage);
    look.nodes.emplace_back().path = "__main__.model";
    look.nodes.back().retained_bytes = whole(50 * kMB);
    writer.add_snapshot(stage[main].info.id, look);
  }
  stage.end(kTicks);
}

void play_short(record::Writer& writer) {
  Stage stage(writer);
  const auto main = stage.enter(100, 1, model::ProcessRole::Trainer, "python train.py");
  for (int at = 0; at < 4; ++at) {
    stage[main].own = 50 * kMB * (at + 1);
    stage.put(stage.tick(at, model::kUnknown));
  }
  stage.end(4);
}

void play_storm(record::Writer& writer) {
  Stage stage(writer);
  const auto main = stage.enter(100, 1, model::ProcessRole::Trainer, "make -j 100");
  for (int at = 0; at < 120; ++at) {
    stage[main].own = 80 * kMB * settled(at) + stage.noise(0.1 * kMB);
    const std::size_t first = stage.size();
    for (int child = 0; child < 20; ++child) {
      const auto born =
          stage.enter(1000 + 20 * at + child, 100, model::ProcessRole::Other, "cc1plus x.cpp", at);
      stage[born].own = 3 * kMB;
    }
    stage.put(stage.tick(at, model::kUnknown));
    for (std::size_t child = first; child < stage.size(); ++child) stage.leave(child, at + 0.5, 0);
  }
  stage.end(120);
}

void play_hostile(record::Writer& writer) {
  Stage stage(writer);
  const auto main =
      stage.enter(100, 1, model::ProcessRole::Trainer,
                  "python \x1b[31mtrain.py\x1b[0m |<script>alert(1)</script>| \xff \x07 &quot;");
  for (int at = 0; at < 200; ++at) {
    stage[main].own = 300 * kMB * settled(at) + 1 * kMB * at;
    stage.put(stage.tick(at, 10.0 * at));
  }
  writer.add_event(
      {model::EventKind::WorkerKilled, 50.0, 0, "worker \x1b]0;pwned\x07 <b>killed</b> ]]> & \"q\""},
      stage[main].info.id);
  stage.end(200);
}

// Every 40 s an evaluation of 5 s, which takes 400 MB and keeps `kept` of them.
void play_phases(record::Writer& writer, double kept) {
  Stage stage(writer);
  const auto main = stage.enter(100, 1, model::ProcessRole::Trainer, "python train.py");
  for (int at = 0; at < kTicks; ++at) {
    const bool evaluates = at % 40 >= 35;
    const int visits_ended = at / 40;
    const double visits = visits_ended;
    stage[main].own = 500 * kMB + kept * visits + (evaluates ? 400 * kMB : 0) + stage.noise(0.2 * kMB);
    model::Tick tick = stage.tick(at, 2.0 * at);
    const model::ProcessId id = stage[main].info.id;
    writer.update_phase(
        {id, "train", static_cast<std::uint64_t>(visits), 100'000, whole(510 * kMB), 35 * visits});
    writer.update_phase(
        {id, "eval", static_cast<std::uint64_t>(visits), whole(kept * visits), whole(910 * kMB), 5 * visits});
    stage.put(tick);
  }
  stage.end(kTicks);
}

void play_phase_keeps(record::Writer& writer) {
  play_phases(writer, 20 * kMB);
}

void play_phase_spikes(record::Writer& writer) {
  play_phases(writer, 0);
}

constexpr std::array kAll{
    Scenario{"wrapper", "sh is stable, its child leaks 1 MB per second", play_wrapper},
    Scenario{"overhead", "20 workers of 400 MB that do not grow", play_overhead},
    Scenario{"pile-up", "one process more every two seconds", play_pile_up},
    Scenario{"workers-start", "the same for 20 s, then it stays", play_workers_start},
    Scenario{"page-cache", "files are read, nothing leaks", play_page_cache},
    Scenario{"respawned", "four workers, replaced every 50 s; nothing leaks", play_respawned},
    Scenario{"shared-memory", "segments of shared memory are kept", play_shared_memory},
    Scenario{"neighbours-shared-memory", "a leak, while others in the cgroup keep shared memory",
             play_neighbours_shared_memory},
    Scenario{"unmapped-shared-memory", "a leak, while /dev/shm fills with segments that the job does not map",
             play_unmapped_shared_memory},
    Scenario{"filling-tmpfs", "files in /dev/shm are never removed, and it is small", play_filling_tmpfs},
    Scenario{"oom", "leaks into its cgroup's limit and is killed", play_oom},
    Scenario{"warmup", "rises for 90 s, then stays", play_warmup},
    Scenario{"spikes", "170 MB up and down every minute", play_spikes},
    Scenario{"sawtooth", "climbs by 170 MB for 40 s and falls, again and again", play_sawtooth},
    Scenario{"short", "four readings of a start", play_short},
    Scenario{"storm", "2,400 processes that live for half a second", play_storm},
    Scenario{"hostile", "a leak with a command line that attacks", play_hostile},
    Scenario{"phase-keeps", "each evaluation keeps 20 MB", play_phase_keeps},
    Scenario{"phase-spikes", "each evaluation takes 400 MB and gives them back", play_phase_spikes},
    Scenario{"cut-off", "the monitor was killed in mid-run", play_wrapper, false},
};

}  // namespace

std::span<const Scenario> scenarios() {
  static const std::vector<Scenario> kEvery = [] {
    std::vector<Scenario> all(kAll.begin(), kAll.end());
    for (const std::span<const Scenario> more :
         {forked_scenarios(), gpu_scenarios(), site_scenarios(), site_lookalikes()}) {
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }();
  return kEvery;
}

const Scenario* find_scenario(std::string_view name) {
  const std::span<const Scenario> all = scenarios();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Scenario& scenario) { return scenario.name == name; });
  return found == all.end() ? nullptr : &*found;
}

record::Header scenario_header() {
  record::Header header;
  header.command = "python train.py";
  header.working_directory = "/data/job";
  header.host = "node-1";
  header.started = "2026-03-01T10:00:00Z";
  header.started_unix_s = 1772359200;
  header.lowtide_version = "0.1.0";
  header.interval_s = 1;
  header.root_pid = 100;
  return header;
}

std::string write_scenario(const Scenario& scenario, const std::string& path,
                           const std::function<void(const model::Tick&)>& after_tick) {
  auto writer = record::Writer::create(path, scenario_header());
  if (!writer) return writer.error().message;
  Stage::after_tick = after_tick;
  scenario.play(writer.value());
  Stage::after_tick = {};
  if (scenario.close) writer.value().close();
  const base::Error* failure = writer.value().failure();
  return failure == nullptr ? "" : failure->message;
}

}  // namespace lowtide::explain

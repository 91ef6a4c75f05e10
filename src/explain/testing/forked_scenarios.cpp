#include "explain/testing/forked_scenarios.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

#include "explain/testing/scenario_stage.h"

namespace lowtide::explain {
namespace {

// A trainer, and two workers that it forks: the stage has them at 1 and 2.
std::size_t enter_with_two_workers(Stage& stage) {
  const std::size_t main = stage.enter(100, 1, model::ProcessRole::Trainer, "python train.py");
  for (int worker = 0; worker < 2; ++worker) {
    stage.enter(200 + worker, 100, model::ProcessRole::Worker, "python train.py");
  }
  return main;
}

// Four workers share 285 MB of the trainer. `lives`: how often they end and are forked again; then they end
// for good.
void play_forked_workers(record::Writer& writer, int lives, double leak_per_tick) {
  Stage stage(writer);
  const auto main = stage.enter(100, 1, model::ProcessRole::Trainer, "python train.py");
  std::array<std::size_t, 4> workers{};
  const int life = kTicks * 3 / 4 / lives;
  std::int64_t pid = 200;
  for (int at = 0; at < kTicks; ++at) {
    const bool are_working = at < life * lives && at % life < life - 10;
    for (std::size_t& worker : workers) {
      if (are_working && at % life == 0) {
        worker = at == 0 ? stage.enter(pid, 100, model::ProcessRole::Worker, "python train.py")
                         : stage.follow(worker, pid, at);
        ++pid;
        stage[worker].own = 8 * kMB;
        stage[worker].shared = 285 * kMB;
      }
      if (!are_working && stage[worker].on) stage.leave(worker, at, 0);
    }
    stage[main].shared = are_working ? 285 * kMB : 0;
    stage[main].own = 322 * kMB - stage[main].shared + leak_per_tick * at + stage.noise(0.5 * kMB);
    model::Tick tick = stage.tick(at, 2.0 * at);
    tick.target.bytes += whole(stage[main].shared);
    stage.put(tick);
  }
  stage.end(kTicks);
}

void play_workers_end(record::Writer& writer) {
  play_forked_workers(writer, 1, 0);
}

void play_workers_end_often(record::Writer& writer) {
  play_forked_workers(writer, 6, 0);
}

void play_leak_beside_workers_that_end(record::Writer& writer) {
  play_forked_workers(writer, 6, 0.5 * kMB);
}

// Two workers copy pages for 200 s and are replaced; the trainer keeps 0.25 MB per step.
void play_leak_beside_workers_that_copy(record::Writer& writer) {
  Stage stage(writer);
  const auto main = stage.enter(100, 1, model::ProcessRole::Trainer, "python train.py");
  std::array<std::size_t, 2> workers{};
  std::int64_t pid = 200;
  for (int at = 0; at < kTicks; ++at) {
    const int age = at % 200;
    const double copied = 10 * kMB + 1.5 * kMB * age;
    for (std::size_t& worker : workers) {
      if (age == 0) {
        if (at > 0) stage.leave(worker, at, 0);
        worker = at == 0 ? stage.enter(pid, 100, model::ProcessRole::Worker, "python train.py")
                         : stage.follow(worker, pid, at);
        ++pid;
      }
      stage[worker].own = copied + stage.noise(0.2 * kMB);
      stage[worker].shared = 400 * kMB - copied;
    }
    stage[main].shared = 400 * kMB - copied;
    stage[main].own = 40 * kMB + copied + 0.5 * kMB * at + stage.noise(0.2 * kMB);
    model::Tick tick = stage.tick(at, 2.0 * at);
    tick.target.bytes += whole(stage[main].shared);
    stage.put(tick);
  }
  stage.end(kTicks);
}

// What the trainer built before the fork, and its workers inherited.
model::Snapshot snapshot_of_dataset(double at_s, double bytes_of_object) {
  model::Snapshot out;
  out.at_s = at_s;
  out.has_holders = true;
  out.object_bytes = whole(400 * kMB);
  const auto add = [&](const char* path, const char* type, std::optional<std::uint64_t> length,
                       double bytes) {
    model::HeldNode node;
    node.path = path;
    node.type = type;
    node.length = length;
    node.retained_bytes = whole(bytes);
    node.retained_objects = whole(bytes / bytes_of_object);
    node.depth = 1;
    if (!out.nodes.empty()) node.holder = out.nodes.size() - 1;
    out.nodes.push_back(node);
  };
  add("__main__", "dict", 25, 390 * kMB);
  add("__main__.dataset", "__main__.PathList", std::nullopt, 380 * kMB);
  add("__main__.dataset.samples", "list", 300'000, 380 * kMB);
  return out;
}

void play_copy_on_write(record::Writer& writer, double bytes_of_object) {
  Stage stage(writer);
  const auto main = enter_with_two_workers(stage);
  for (int at = 0; at < kTicks; ++at) {
    stage[main].own = 440 * kMB * settled(at) + stage.noise(0.5 * kMB);
    for (std::size_t worker = 1; worker < 3; ++worker) {
      const double copied = 40 * kMB + 0.35 * kMB * at;
      stage[worker].own = copied + stage.noise(0.5 * kMB);
      stage[worker].shared = 750 * kMB - copied;
    }
    stage.put(stage.tick(at, 2.0 * at));
    if (at % 200 == 100) writer.add_snapshot(stage[main].info.id, snapshot_of_dataset(at, bytes_of_object));
  }
  stage.end(kTicks);
}

void play_copy_on_write(record::Writer& writer) {
  play_copy_on_write(writer, 150);
}

void play_copied_buffer(record::Writer& writer) {
  play_copy_on_write(writer, 20 * kMB);
}

// The same for 300 steps only. `stop`: by then the workers have copied what they touch.
void play_short_copying(record::Writer& writer, int stop) {
  Stage stage(writer);
  const auto main = enter_with_two_workers(stage);
  for (int at = 0; at < 300; ++at) {
    stage[main].own = 440 * kMB * settled(at) + stage.noise(0.5 * kMB);
    for (std::size_t worker = 1; worker < 3; ++worker) {
      const double copied = 40 * kMB + 0.35 * kMB * std::min(at, stop);
      stage[worker].own = copied + stage.noise(0.2 * kMB);
      stage[worker].shared = 750 * kMB - copied;
    }
    stage.put(stage.tick(0.25 * at, at));
  }
  stage.end(75.5);
}

void play_copying(record::Writer& writer) {
  play_short_copying(writer, 300);
}

void play_copied(record::Writer& writer) {
  play_short_copying(writer, 150);
}

// Two workers copy pages of the trainer, and the job goes on. A page that all workers have copied is the
// trainer's alone: its private memory rises as well, but it allocates nothing.
void play_copied_from_trainer(record::Writer& writer, double leak_per_tick) {
  Stage stage(writer);
  const auto main = enter_with_two_workers(stage);
  for (int at = 0; at < kTicks; ++at) {
    const double copied = 10 * kMB + 0.3 * kMB * at;
    for (std::size_t worker = 1; worker < 3; ++worker) {
      stage[worker].own = copied + stage.noise(0.2 * kMB);
      stage[worker].shared = 400 * kMB - copied;
    }
    stage[main].shared = 400 * kMB - copied;
    stage[main].own = 40 * kMB + copied + leak_per_tick * at + stage.noise(0.2 * kMB);
    model::Tick tick = stage.tick(at, 2.0 * at);
    tick.target.bytes += whole(stage[main].shared);
    stage.put(tick);
  }
}

void play_copied_from_trainer(record::Writer& writer) {
  play_copied_from_trainer(writer, 0);
}

void play_copied_from_leaking_trainer(record::Writer& writer) {
  play_copied_from_trainer(writer, 1 * kMB);
}

constexpr std::array kForked{
    Scenario{"workers-end", "workers that share the trainer's pages end; nothing leaks", play_workers_end},
    Scenario{"workers-end-often", "the same, with new workers every 75 s", play_workers_end_often},
    Scenario{"leak-beside-workers-that-end", "the same, and the trainer leaks",
             play_leak_beside_workers_that_end},
    Scenario{"leak-beside-workers-that-copy", "workers copy pages until they are replaced; the trainer leaks",
             play_leak_beside_workers_that_copy},
    Scenario{"copy-on-write", "two workers copy the parent's pages", play_copy_on_write},
    Scenario{"copied-buffer", "the same, of an array that is written", play_copied_buffer},
    Scenario{"copying", "the same after 300 steps", play_copying},
    Scenario{"copied", "two workers copied what they touch, and are done", play_copied},
    Scenario{"copied-from-trainer", "two workers copy the trainer's pages, and the job goes on",
             play_copied_from_trainer, false},
    Scenario{"copied-from-leaking-trainer", "the same, and the trainer leaks",
             play_copied_from_leaking_trainer, false},
};

}  // namespace

std::span<const Scenario> forked_scenarios() {
  return kForked;
}

}  // namespace lowtide::explain

#include "verdict/special_jobs.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "explain/testing/heap_stage.h"

namespace lowtide::bench {
namespace {

using explain::kGB;
using explain::kMB;
using explain::Stage;
using explain::whole;
using model::ProcessRole;

constexpr double kTickS = 0.5;

struct Times {
  double run_s = 0;
  double steps_per_s = 0;

  [[nodiscard]] double step(double at_s) const { return std::floor(steps_per_s * at_s); }
};

Times draw_times(Rng& rng) {
  return {.run_s = rng.log_uniform(40, 300), .steps_per_s = rng.uniform(1, 8)};
}

// 0 at the start, 1 from `end` of the run on.
double share_at(double at_s, const Times& times, double end) {
  return std::min(1.0, at_s / (times.run_s * end));
}

// --- memory of a GPU ---

class GpuJob {
 public:
  GpuJob(record::Writer& writer, Rng& rng, double end)
      : times_(draw_times(rng)),
        end_(end),
        model_bytes_(rng.log_uniform(0.5 * kGB, 30 * kGB)),
        step_bytes_(model_bytes_ * rng.uniform(0.01, 0.3)),
        growth_bytes_(rng.log_uniform(0.1 * kGB, 15 * kGB)),
        host_bytes_(rng.log_uniform(500 * kMB, 5000 * kMB)),
        snapshots_(rng.chance(0.75) ? rng.whole(3, 10) : 0),
        is_bounded_(end < 1 && rng.chance(0.3)),
        stage_(writer, 1 + rng.index(1'000'000)),
        main_(stage_.enter(100, 1, ProcessRole::Trainer, "python3 train.py")) {}

  void play() {
    int taken = 0;
    for (double at_s = 0; at_s < times_.run_s; at_s += kTickS) {
      const double held = growth_bytes_ * share_at(at_s, times_, end_);
      stage_[main_].own = host_bytes_ + stage_.noise(0.002 * host_bytes_);
      put(at_s, held);
      if (taken < snapshots_ && at_s >= times_.run_s * (taken + 0.7) / snapshots_) {
        take_snapshot(at_s, held);
        ++taken;
      }
    }
    stage_.end(times_.run_s);
  }

 private:
  void put(double at_s, double held) {
    // A reading falls anywhere into a step: activations come and go.
    const double allocated = model_bytes_ + held + step_bytes_ * (0.5 + stage_.noise(1));
    reserved_ = std::max(reserved_, 1.05 * allocated);
    model::Tick tick = stage_.tick(at_s, times_.step(at_s));
    tick.gpus.push_back({0, 80ULL << 30U, whole(reserved_ + kGB)});
    tick.gpu_processes.push_back({.index = 0,
                                  .id = stage_[main_].info.id,
                                  .bytes = whole(reserved_ + 0.5 * kGB),
                                  .torch = model::TorchReading{.allocated_bytes = whole(allocated),
                                                               .reserved_bytes = whole(reserved_)}});
    stage_.put(tick);
  }

  void take_snapshot(double at_s, double held) {
    constexpr double kEntry = 10 * kMB;
    model::Snapshot snapshot;
    snapshot.at_s = at_s;
    snapshot.has_holders = snapshot.is_exact = snapshot.is_whole = true;
    snapshot.has_torch = snapshot.has_tensors = true;
    snapshot.object_bytes = whole(100 * kMB);
    snapshot.device_bytes = whole(model_bytes_ + held);
    model::HeldNode& model = snapshot.nodes.emplace_back();
    model.path = "__main__.model";
    model.type = "Net";
    model.device_bytes = whole(model_bytes_);
    model::HeldNode& node = snapshot.nodes.emplace_back();
    node.path = "__main__.kept";
    node.type = is_bounded_ ? "deque" : "list";
    node.length = whole(held / kEntry);
    node.device_bytes = whole(held);
    node.cache = is_bounded_ ? model::CacheKind::Bounded : model::CacheKind::None;
    node.bound = is_bounded_ ? whole(growth_bytes_ / kEntry) : 0;
    stage_.writer().add_snapshot(stage_[main_].info.id, snapshot);
  }

  Times times_;
  double end_;
  double model_bytes_;
  double step_bytes_;
  double growth_bytes_;
  double host_bytes_;
  int snapshots_;
  bool is_bounded_;
  Stage stage_;
  std::size_t main_;
  double reserved_ = 0;
};

// --- workers that are replaced ---

// `end`: of the growth of the trainer, as a share of the run. 0: it does not grow.
void play_beside_replaced(record::Writer& writer, Rng& rng, double end) {
  const Times times = draw_times(rng);
  const int lives = rng.whole(2, 8);
  const int count = rng.whole(1, 6);
  const double shared = rng.log_uniform(100 * kMB, 2000 * kMB);
  const double copied_share = rng.uniform(0.1, 0.8);
  const double base = rng.log_uniform(50 * kMB, 1000 * kMB);
  const double growth = end > 0 ? rng.log_uniform(40 * kMB, 1000 * kMB) : 0;
  const double life_s = times.run_s / lives;
  Stage stage(writer, 1 + rng.index(1'000'000));
  const auto main = stage.enter(100, 1, ProcessRole::Trainer, "python train.py");
  std::vector<std::size_t> workers(static_cast<std::size_t>(count));
  std::int64_t pid = 200;
  int life = -1;
  for (double at_s = 0; at_s < times.run_s; at_s += kTickS) {
    const int now = std::min(lives - 1, static_cast<int>(at_s / life_s));
    const double copied = 8 * kMB + shared * copied_share * std::min(1.0, (at_s - now * life_s) / life_s);
    for (std::size_t& worker : workers) {
      if (now != life) {
        if (life >= 0) stage.leave(worker, at_s, 0);
        worker = life < 0 ? stage.enter(pid, 100, ProcessRole::Worker, "python train.py")
                          : stage.follow(worker, pid, at_s);
        ++pid;
      }
      stage[worker].own = copied + stage.noise(0.001 * shared);
      stage[worker].shared = std::max(0.0, shared - copied);
    }
    life = now;
    // What all workers have copied is the trainer's alone.
    stage[main].shared = std::max(0.0, shared - copied);
    stage[main].own =
        base + copied + (end > 0 ? growth * share_at(at_s, times, end) : 0) + stage.noise(0.002 * base);
    model::Tick tick = stage.tick(at_s, times.step(at_s));
    tick.target.bytes += whole(stage[main].shared);
    stage.put(tick);
  }
  stage.end(times.run_s);
}

// --- memory that is written for the first time ---

struct ArrayPlan {
  double written_first = 0;  // of the array, at the start
  double written_end = 1;    // share of the run at which the rest would be written; 0: it never is
  double growth_bytes = 0;   // of a list beside it
};

void play_array(record::Writer& writer, Rng& rng, const ArrayPlan& plan) {
  explain::Pace pace;
  pace.steps = static_cast<int>(rng.log_uniform(100, 600));
  pace.run_s = rng.log_uniform(25, 150);
  const double base = rng.log_uniform(80 * kMB, 500 * kMB);
  const double array = rng.log_uniform(200 * kMB, 4000 * kMB);
  const double block = plan.growth_bytes / pace.steps;
  Stage stage(writer, 1 + rng.index(1'000'000));
  const auto main = stage.enter(100, 1, ProcessRole::Trainer, "python3 train.py");
  explain::Heap heap(stage, main);
  const auto arrays = heap.site(explain::tensor_at("allocate", "/data/job/data.py", 12));
  const auto kept = heap.site(explain::tensor_at("train", "/data/job/train.py", 33));
  const auto batches = heap.site(explain::tensor_at("next_batch", "/data/job/data.py", 40));
  heap.take(arrays, array);
  explain::play_steps(
      stage,
      [&](int) {
        if (block > 0) heap.take(kept, block);
        for (int each = 0; each < 4; ++each) heap.take(batches, 0.5 * explain::kMiB);
        heap.give(batches, heap.blocks(batches) - 2);
      },
      [&](model::Tick& tick) {
        heap.put(tick);
        const double progress = std::max(0.0, tick.at_s - explain::kStartSeconds) / pace.run_s;
        const double more = plan.written_end > 0 ? std::min(1.0, progress / plan.written_end) : 0;
        const double written = array * (plan.written_first + (1 - plan.written_first) * more);
        stage[main].own = base + written + (heap.live() - array) + stage.noise(0.002 * base);
        for (model::ProcessReading& reading : tick.processes)
          reading.writable_bytes = whole(1.1 * base + heap.live());
      },
      0, pace);
}

// --- tables that double ---

// `end`: the share of the run after which nothing is added.
void play_table(record::Writer& writer, Rng& rng, double end) {
  const Times times = draw_times(rng);
  const double base = rng.log_uniform(80 * kMB, 2000 * kMB);
  const double table = std::max(30 * kMB, base * rng.log_uniform(0.1, 2));  // at the end
  const double contents = table * rng.uniform(0, 0.25);                     // beside the table
  const double doublings = rng.uniform(3, 6);
  const double first = std::exp2(-doublings);  // of the entries, at the start
  Stage stage(writer, 1 + rng.index(1'000'000));
  const auto main = stage.enter(100, 1, ProcessRole::Trainer, "python3 train.py");
  const double fullness = rng.uniform(0.5, 1);  // of the largest table, at the end
  for (double at_s = 0; at_s < times.run_s; at_s += kTickS) {
    const double entries = first + (1 - first) * share_at(at_s, times, end);
    const double capacity = std::exp2(std::ceil(std::log2(entries * fullness)));
    stage[main].own = base + table * capacity + contents * entries + stage.noise(0.002 * base);
    stage.put(stage.tick(at_s, times.step(at_s)));
  }
  stage.end(times.run_s);
}

// --- shared memory ---

void play_segments(record::Writer& writer, Rng& rng, double end) {
  const Times times = draw_times(rng);
  const double base = rng.log_uniform(80 * kMB, 3000 * kMB);
  const double growth = std::max(25 * kMB, base * rng.log_uniform(0.05, 2));
  const bool is_mapped = rng.chance(0.5);
  Stage stage(writer, 1 + rng.index(1'000'000));
  const auto main = stage.enter(100, 1, ProcessRole::Trainer, "python3 train.py");
  for (double at_s = 0; at_s < times.run_s; at_s += kTickS) {
    const double segments = growth * share_at(at_s, times, end);
    stage[main].shmem = is_mapped ? segments : 0;
    stage[main].own = base + stage[main].shmem + stage.noise(0.005 * base);
    model::Tick tick = stage.tick(at_s, times.step(at_s));
    tick.target.unmapped_bytes = is_mapped ? 0 : whole(segments);
    tick.target.bytes += tick.target.unmapped_bytes;
    tick.host = model::HostReading{64ULL << 30U, 50ULL << 30U, whole(segments), 0.0};
    stage.put(tick);
  }
  stage.end(times.run_s);
}

}  // namespace

void play_gpu_list(record::Writer& writer, Rng& rng) {
  GpuJob(writer, rng, 1).play();
}

void play_gpu_buffer(record::Writer& writer, Rng& rng) {
  const double end = rng.uniform(0.2, 0.95);
  GpuJob(writer, rng, end).play();
}

void play_unfinished_gpu_buffer(record::Writer& writer, Rng& rng) {
  GpuJob(writer, rng, 1).play();
}

void play_leak_beside_replaced(record::Writer& writer, Rng& rng) {
  play_beside_replaced(writer, rng, 1);
}

void play_warmup_beside_replaced(record::Writer& writer, Rng& rng) {
  const double end = rng.uniform(0.1, 0.7);
  play_beside_replaced(writer, rng, end);
}

void play_replaced(record::Writer& writer, Rng& rng) {
  play_beside_replaced(writer, rng, 0);
}

void play_first_touch(record::Writer& writer, Rng& rng) {
  const double end = rng.uniform(0.3, 1.5);
  play_array(writer, rng, {.written_first = rng.uniform(0, 0.1), .written_end = end});
}

void play_leak_beside_array(record::Writer& writer, Rng& rng) {
  const double growth = rng.log_uniform(40 * kMB, 1000 * kMB);
  play_array(writer, rng, {.written_first = rng.uniform(0, 1), .written_end = 0, .growth_bytes = growth});
}

void play_doubling_table(record::Writer& writer, Rng& rng) {
  play_table(writer, rng, 1);
}

void play_complete_table(record::Writer& writer, Rng& rng) {
  const double end = rng.uniform(0.15, 0.9);
  play_table(writer, rng, end);
}

void play_kept_segments(record::Writer& writer, Rng& rng) {
  play_segments(writer, rng, 1);
}

void play_segment_ring(record::Writer& writer, Rng& rng) {
  const double end = rng.uniform(0.2, 0.95);
  play_segments(writer, rng, end);
}

}  // namespace lowtide::bench

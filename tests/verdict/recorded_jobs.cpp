#include "verdict/recorded_jobs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "explain/testing/heap_stage.h"
#include "explain/testing/scenarios.h"
#include "verdict/special_jobs.h"

namespace lowtide::bench {
namespace {

using explain::kMB;
using explain::kStartSeconds;
using explain::Stage;
using explain::whole;
using model::ProcessRole;

// --- one process that keeps blocks ---

struct Stock {
  // How many blocks a step, relative to the usual number; by the share of the run that is over.
  std::function<double(double progress)> pace = [](double) { return 1.0; };
  double bound_at = std::numeric_limits<double>::infinity();  // share of the run after which the oldest go
  model::CacheKind cache = model::CacheKind::None;
  bool is_python = true;       // a variable holds it
  bool frees_at_once = false;  // each step drops what the step before took
  double holes = 0;            // resident memory that is not alive, as a share of the growth
};

struct Surroundings {
  explain::Pace pace;
  double base_bytes = 0;
  double growth_bytes = 0;
  double noise_bytes = 0;
  bool has_agent = false;
  int snapshots = 0;
};

Surroundings draw_surroundings(Rng& rng) {
  Surroundings out;
  out.pace.steps = static_cast<int>(rng.log_uniform(100, 600));
  out.pace.run_s = rng.log_uniform(25, 150);
  out.pace.tick_s = out.pace.run_s < 80 ? 0.25 : 0.5;
  out.base_bytes = rng.log_uniform(80 * kMB, 3000 * kMB);
  out.growth_bytes = std::max(25 * kMB, out.base_bytes * rng.log_uniform(0.05, 2));
  out.noise_bytes = out.base_bytes * rng.log_uniform(0.0005, 0.01);
  out.has_agent = rng.chance(0.7);
  out.snapshots = rng.chance(0.75) ? rng.whole(3, 10) : 0;
  return out;
}

class KeepingJob {
 public:
  KeepingJob(record::Writer& writer, Rng& rng, const Stock& stock)
      : stock_(stock),
        around_(draw_surroundings(rng)),
        stage_(writer, 1 + rng.index(1'000'000)),
        main_(stage_.enter(100, 1, ProcessRole::Trainer, "python3 train.py")),
        heap_(stage_, main_),
        kept_(heap_.site(explain::tensor_at("train", "/data/job/train.py", 33))),
        batches_(heap_.site(explain::tensor_at("next_batch", "/data/job/data.py", 40))),
        blocks_per_step_(rng.log_uniform(0.5, 6)),
        block_bytes_(around_.growth_bytes / (blocks_per_step_ * around_.pace.steps)),
        holes_factor_(rng.uniform(1, 1.6)) {}

  void play() {
    explain::play_steps(
        stage_, [this](int step) { do_step(step); }, [this](model::Tick& tick) { finish_tick(tick); }, 0,
        around_.pace);
  }

 private:
  void do_step(int step) {
    const double progress = static_cast<double>(step) / around_.pace.steps;
    if (stock_.frees_at_once) heap_.give(kept_, heap_.blocks(kept_));
    for (due_ += blocks_per_step_ * stock_.pace(progress); due_ >= 1; due_ -= 1)
      heap_.take(kept_, block_bytes_);
    const double bound = blocks_per_step_ * around_.pace.steps * stock_.bound_at;
    const auto most = static_cast<std::size_t>(std::clamp(bound, 1.0, 1e9));
    if (heap_.blocks(kept_) > most) heap_.give(kept_, heap_.blocks(kept_) - most);
    holes_bytes_ += stock_.holes * around_.growth_bytes / around_.pace.steps;
    for (int block = 0; block < 4; ++block) heap_.take(batches_, 0.5 * explain::kMiB);
    heap_.give(batches_, heap_.blocks(batches_) - 2);
  }

  void finish_tick(model::Tick& tick) {
    if (around_.has_agent) heap_.put(tick);
    stage_[main_].own =
        around_.base_bytes + holes_factor_ * heap_.live() + holes_bytes_ + stage_.noise(around_.noise_bytes);
    const double next_s =
        kStartSeconds + around_.pace.run_s * (snapshots_ + 0.7) / std::max(1, around_.snapshots);
    if (snapshots_ < around_.snapshots && tick.at_s >= next_s) take_snapshot(tick.at_s);
  }

  void take_snapshot(double at_s) {
    ++snapshots_;
    model::Snapshot snapshot;
    snapshot.at_s = at_s;
    snapshot.has_holders = snapshot.is_exact = snapshot.is_whole = true;
    const double held = stock_.is_python ? static_cast<double>(heap_.blocks(kept_)) * block_bytes_ : 0;
    snapshot.object_bytes = whole(0.2 * around_.base_bytes + held);
    model::HeldNode& model = snapshot.nodes.emplace_back();
    model.path = "__main__.model";
    model.type = "Net";
    model.retained_bytes = whole(0.2 * around_.base_bytes);
    if (stock_.is_python) {
      model::HeldNode& node = snapshot.nodes.emplace_back();
      node.path = "__main__.kept";
      node.type = stock_.cache == model::CacheKind::None ? "list" : "deque";
      node.length = heap_.blocks(kept_);
      node.retained_bytes = whole(held);
      node.cache = stock_.cache;
      node.bound = stock_.cache == model::CacheKind::Bounded
                       ? whole(blocks_per_step_ * around_.pace.steps * stock_.bound_at)
                       : 0;
    }
    stage_.writer().add_snapshot(stage_[main_].info.id, snapshot);
  }

  Stock stock_;
  Surroundings around_;
  Stage stage_;
  std::size_t main_;
  explain::Heap heap_;
  std::size_t kept_;
  std::size_t batches_;
  double blocks_per_step_;
  double block_bytes_;
  double holes_factor_;
  double due_ = 0;
  double holes_bytes_ = 0;
  int snapshots_ = 0;
};

void play_stock(record::Writer& writer, Rng& rng, const Stock& stock) {
  KeepingJob(writer, rng, stock).play();
}

void play_list(record::Writer& writer, Rng& rng) {
  play_stock(writer, rng, {});
}

void play_native(record::Writer& writer, Rng& rng) {
  play_stock(writer, rng, {.is_python = false});
}

// What an evaluation makes is kept.
void play_stairs(record::Writer& writer, Rng& rng) {
  const double evaluations = rng.whole(6, 20);
  const double share = rng.uniform(0.05, 0.3);  // of the time
  play_stock(writer, rng, {.pace = [=](double progress) {
               return std::fmod(progress * evaluations, 1.0) > 1 - share ? 1 / share : 0;
             }});
}

void play_late_leak(record::Writer& writer, Rng& rng) {
  const double begin = rng.uniform(0.05, 0.4);
  play_stock(writer, rng, {.pace = [=](double progress) { return progress >= begin ? 1.0 : 0.0; }});
}

void play_leak_after_warmup(record::Writer& writer, Rng& rng) {
  const double end = rng.uniform(0.1, 0.4);
  const double slower = rng.uniform(0.2, 0.7);
  play_stock(writer, rng, {.pace = [=](double progress) { return progress < end ? 1.0 : slower; }});
}

void play_bounded_cache(record::Writer& writer, Rng& rng) {
  play_stock(writer, rng, {.bound_at = rng.uniform(0.2, 1.3), .cache = model::CacheKind::Bounded});
}

// A dict that is filled in the first epoch.
void play_lazy_dataset(record::Writer& writer, Rng& rng) {
  const double end = rng.uniform(0.2, 0.95);
  play_stock(writer, rng, {.pace = [=](double progress) { return progress < end ? 1.0 : 0.0; }});
}

// The same, but the run ends before the epoch does: nothing in the recording shows that it would end.
void play_unfinished_dataset(record::Writer& writer, Rng& rng) {
  play_stock(writer, rng, {});
}

void play_memo(record::Writer& writer, Rng& rng) {
  const double rate = rng.uniform(3, 12);
  play_stock(writer, rng, {.pace = [=](double progress) { return rate * std::exp(-rate * progress); }});
}

void play_retention(record::Writer& writer, Rng& rng) {
  play_stock(writer, rng,
             {.pace = [](double) { return 0.0; }, .is_python = false, .holes = rng.uniform(0.5, 1.5)});
}

void play_spikes(record::Writer& writer, Rng& rng) {
  const double every = rng.uniform(0.05, 0.15);
  play_stock(
      writer, rng,
      {.pace = [=](double progress) { return std::fmod(progress, every) > 0.8 * every ? 1 / every : 0; },
       .is_python = false,
       .frees_at_once = true});
}

// Larger batches at every step; none is kept.
void play_curriculum(record::Writer& writer, Rng& rng) {
  play_stock(
      writer, rng,
      {.pace = [](double progress) { return 200 * progress; }, .is_python = false, .frees_at_once = true});
}

// --- several processes ---

// One worker more every few seconds, until `end` of the run.
void play_workers(record::Writer& writer, Rng& rng, double end) {
  const double run_s = rng.log_uniform(40, 300);
  const int workers = rng.whole(8, 30);
  const double worker_bytes = rng.log_uniform(8 * kMB, 200 * kMB);
  const double base = rng.log_uniform(80 * kMB, 1500 * kMB);
  const double steps_per_s = rng.uniform(1, 10);
  Stage stage(writer, 1 + rng.index(1'000'000));
  const auto main = stage.enter(100, 1, ProcessRole::Trainer, "python train.py");
  int started = 0;
  for (double at_s = 0; at_s < run_s; at_s += 0.5) {
    stage[main].own = base + stage.noise(0.003 * base);
    for (; started < workers && at_s >= (started + 1) * run_s * end / workers; ++started) {
      const auto at = stage.enter(200 + started, 100, ProcessRole::Worker, "python train.py", at_s);
      stage[at].own = worker_bytes;
    }
    stage.put(stage.tick(at_s, std::floor(steps_per_s * at_s)));
  }
  stage.end(run_s);
}

void play_pile_up(record::Writer& writer, Rng& rng) {
  play_workers(writer, rng, 1);
}

void play_workers_start(record::Writer& writer, Rng& rng) {
  play_workers(writer, rng, rng.uniform(0.05, 0.7));
}

// Forked workers copy the pages that they touch, until `end` of the run.
void play_copying(record::Writer& writer, Rng& rng, double end) {
  const double run_s = rng.log_uniform(60, 600);
  const int workers = rng.whole(1, 8);
  const double shared = rng.log_uniform(200 * kMB, 3000 * kMB);
  const double copied_share = rng.uniform(0.2, 0.9);
  const double steps_per_s = rng.uniform(1, 10);
  Stage stage(writer, 1 + rng.index(1'000'000));
  const auto main = stage.enter(100, 1, ProcessRole::Trainer, "python train.py");
  for (int worker = 0; worker < workers; ++worker) {
    stage.enter(200 + worker, 100, ProcessRole::Worker, "python train.py");
  }
  for (double at_s = 0; at_s < run_s; at_s += 1) {
    stage[main].own = 0.5 * shared + stage.noise(0.001 * shared);
    const double copied = shared * copied_share * std::min(1.0, at_s / (run_s * end));
    for (std::size_t worker = 1; worker < stage.size(); ++worker) {
      stage[worker].own = 30 * kMB + copied + stage.noise(0.001 * shared);
      stage[worker].shared = shared - copied;
    }
    stage.put(stage.tick(at_s, std::floor(steps_per_s * at_s)));
  }
  stage.end(run_s);
}

void play_copy_on_write(record::Writer& writer, Rng& rng) {
  play_copying(writer, rng, 1);
}

void play_copying_that_ends(record::Writer& writer, Rng& rng) {
  play_copying(writer, rng, rng.uniform(0.1, 0.8));
}

constexpr std::array kFamilies{
    JobFamily{"list", true, 1, play_list},
    JobFamily{"native", true, 1, play_native},
    JobFamily{"stairs", true, 1, play_stairs},
    JobFamily{"late leak", true, 1, play_late_leak},
    JobFamily{"leak after warm-up", true, 1, play_leak_after_warmup},
    JobFamily{"pile-up of workers", true, 1, play_pile_up},
    JobFamily{"copy on write", true, 1, play_copy_on_write},
    JobFamily{"bounded cache", false, 1, play_bounded_cache},
    JobFamily{"lazy dataset", false, 1, play_lazy_dataset},
    JobFamily{"unfinished dataset", false, 0.1, play_unfinished_dataset},
    JobFamily{"memo", false, 1, play_memo},
    JobFamily{"retention", false, 1, play_retention},
    JobFamily{"spikes", false, 1, play_spikes},
    JobFamily{"curriculum", false, 1, play_curriculum},
    JobFamily{"workers start", false, 1, play_workers_start},
    JobFamily{"copying that ends", false, 1, play_copying_that_ends},
    JobFamily{"GPU list", true, 1, play_gpu_list},
    JobFamily{"leak beside replaced workers", true, 1, play_leak_beside_replaced},
    JobFamily{"leak beside an array", true, 1, play_leak_beside_array},
    JobFamily{"doubling table", true, 1, play_doubling_table},
    JobFamily{"kept segments", true, 1, play_kept_segments},
    JobFamily{"GPU buffer that fills", false, 1, play_gpu_buffer},
    JobFamily{"unfinished GPU buffer", false, 0.1, play_unfinished_gpu_buffer},
    JobFamily{"warm-up beside replaced workers", false, 1, play_warmup_beside_replaced},
    JobFamily{"replaced workers", false, 1, play_replaced},
    JobFamily{"first touch", false, 1, play_first_touch},
    JobFamily{"complete table", false, 1, play_complete_table},
    JobFamily{"ring of segments", false, 1, play_segment_ring},
};

}  // namespace

std::span<const JobFamily> job_families() {
  return kFamilies;
}

std::string write_job(const JobFamily& family, Rng& rng, const std::string& path) {
  auto writer = record::Writer::create(path, explain::scenario_header());
  if (!writer) return writer.error().message;
  family.play(writer.value(), rng);
  writer.value().close();
  const base::Error* failure = writer.value().failure();
  return failure == nullptr ? "" : failure->message;
}

}  // namespace lowtide::bench

#include "explain/site_scenarios.h"

#include <array>
#include <cmath>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "explain/scenario_stage.h"

namespace lowtide::explain {
namespace {

constexpr double kMiB = 1048576;
constexpr double kInterval = 512 * 1024;
constexpr double kTickSeconds = 0.25;
constexpr int kSteps = 300;
constexpr double kStartSeconds = 4;
constexpr double kRunSeconds = 70;

using Frames = std::vector<model::Frame>;

model::Frame python(std::string function, std::string file, std::uint32_t line) {
  return {model::FrameLanguage::Python, std::move(function), std::move(file), line, ""};
}

model::Frame native(std::string function, std::string module) {
  return {model::FrameLanguage::Native, std::move(function), "", 0, std::move(module)};
}

// What a tensor that is made at this line of the user's looks like.
Frames tensor_at(std::string function, std::string file, std::uint32_t line,
                 std::string kernel = "at::native::empty_cpu") {
  return {native("posix_memalign", "/usr/lib/x86_64-linux-gnu/libc.so.6"),
          native(std::move(kernel), "/usr/lib/python3/dist-packages/torch/lib/libtorch_cpu.so"),
          native("_PyEval_EvalFrameDefault", "/usr/bin/python3.11"),
          python("forward", "/usr/lib/python3/dist-packages/torch/nn/modules/linear.py", 114),
          python(std::move(function), std::move(file), line),
          python("<module>", "/data/job/train.py", 88)};
}

// A heap that is sampled as the agent does it: blocks are taken and given back, and
// by chance, weighted with its size, one of them is a sample.
class Heap {
 public:
  Heap(Stage& stage, std::size_t actor) : stage_(stage), process_(stage[actor].info.id) {}

  std::size_t site(Frames frames) {
    static_assert(sizeof(model::SiteId) == 4);
    const auto id =
        model::SiteId{static_cast<std::uint32_t>(process_) * 100 + static_cast<std::uint32_t>(sites_.size())};
    stage_.writer().begin_site({id, process_, std::move(frames), false});
    sites_.push_back({});
    sites_.back().reading.site = id;
    sites_.back().reading.process = process_;
    return sites_.size() - 1;
  }
  void take(std::size_t at, double bytes) {
    Site& site = sites_[at];
    site.changed = true;
    live_ += bytes;
    const double chance = 1 - std::exp(-bytes / kInterval);
    const bool sampled = stage_.noise(1) + 0.5 < chance;
    const double weight = sampled ? bytes / chance : 0;
    site.blocks.emplace_back(bytes, weight);
    if (!sampled) return;
    ++site.reading.allocated_samples;
    ++site.reading.live_samples;
    site.reading.allocated_bytes += whole(weight);
    site.reading.live_bytes += whole(weight);
  }
  void give(std::size_t at, std::size_t blocks) {
    Site& site = sites_[at];
    for (; blocks > 0 && !site.blocks.empty(); --blocks) {
      const auto [bytes, weight] = site.blocks.front();
      site.blocks.pop_front();
      site.changed = true;
      live_ -= bytes;
      if (weight == 0) continue;
      --site.reading.live_samples;
      site.reading.live_bytes -= whole(weight);
    }
  }
  [[nodiscard]] std::size_t blocks(std::size_t at) const { return sites_[at].blocks.size(); }
  [[nodiscard]] double live() const { return live_; }

  // Sites that did not change are not told.
  void put(model::Tick& tick, std::uint64_t dropped = 0) {
    model::HeapReading heap;
    heap.process = process_;
    heap.interval_bytes = whole(kInterval);
    heap.dropped_samples = dropped;
    for (Site& site : sites_) {
      heap.live_bytes += site.reading.live_bytes;
      heap.live_samples += site.reading.live_samples;
      heap.allocated_bytes += site.reading.allocated_bytes;
      heap.samples += site.reading.allocated_samples;
      if (site.changed) tick.sites.push_back(site.reading);
      site.changed = false;
    }
    heap.samples += dropped;
    heap.sampling_ns = heap.samples * 4000;
    tick.heaps.push_back(heap);
  }

 private:
  struct Site {
    model::SiteReading reading;
    std::deque<std::pair<double, double>> blocks;
    bool changed = false;
  };
  Stage& stage_;
  model::ProcessId process_;
  std::vector<Site> sites_;
  double live_ = 0;
};

// 300 steps in 70 s after a start of 4 s, a tick every quarter of a second.
void play_steps(Stage& stage, const std::function<void(int step)>& on_step,
                const std::function<void(model::Tick&)>& on_tick) {
  int done = 0;
  double at_s = 0;
  for (; at_s <= kStartSeconds + kRunSeconds; at_s += kTickSeconds) {
    const double due = (at_s - kStartSeconds) / kRunSeconds * kSteps;
    while (done < kSteps && done < due) on_step(done++);
    model::Tick tick = stage.tick(at_s, done == 0 ? model::kUnknown : done - 1);
    on_tick(tick);
    stage.put(tick);
  }
  stage.end(at_s + 0.5);
}

// One process with a heap; resident memory is a constant and `factor` times what is alive,
// and never shrinks below what it once was where the allocator keeps it.
struct OneProcess {
  explicit OneProcess(record::Writer& writer) : stage(writer) {
    main = stage.enter(100, 1, model::ProcessRole::Trainer, "python3 train.py");
    heap.emplace(stage, main);
    // What every job does besides: batches that come and go.
    batches = heap->site(tensor_at("next_batch", "/data/job/data.py", 40));
  }
  void churn() {
    for (int block = 0; block < 4; ++block) heap->take(batches, 0.5 * kMiB);
    heap->give(batches, heap->blocks(batches) - 2);
  }
  void play(
      const std::function<void(int)>& on_step, double factor,
      const std::function<double()>& besides = [] { return 0.0; }) {
    play_steps(
        stage,
        [&](int step) {
          on_step(step);
          churn();
        },
        [&](model::Tick& tick) {
          heap->put(tick);
          stage[main].own = 180 * kMB + factor * heap->live() + besides() + stage.noise(0.6 * kMB);
        });
  }
  Stage stage;
  std::size_t main = 0;
  std::optional<Heap> heap;
  std::size_t batches = 0;
};

// Through two stacks of the same line, and resident memory grows by half as much again.
void play_leak(record::Writer& writer) {
  OneProcess job(writer);
  const auto out = job.heap->site(tensor_at("validate", "/data/job/trainer.py", 631));
  const auto grad = job.heap->site(tensor_at("validate", "/data/job/trainer.py", 631, "at::native::mm"));
  job.play(
      [&](int) {
        for (int block = 0; block < 6; ++block) job.heap->take(block < 4 ? out : grad, 0.25 * kMiB);
      },
      1.5);
}

void play_cache(record::Writer& writer) {
  OneProcess job(writer);
  const auto frames =
      job.heap->site({native("malloc", "/usr/lib/x86_64-linux-gnu/libc.so.6"),
                      python("full", "/usr/lib/python3/dist-packages/numpy/core/numeric.py", 344),
                      python("read_frame", "/data/job/video.py", 34)});
  job.play(
      [&](int) {
        job.heap->take(frames, 1 * kMiB);
        job.heap->take(frames, 1 * kMiB);
        if (job.heap->blocks(frames) > 256) job.heap->give(frames, job.heap->blocks(frames) - 256);
      },
      1.0);
}

void play_churn(record::Writer& writer) {
  OneProcess job(writer);
  const auto padded = job.heap->site(tensor_at("collate", "/data/job/data.py", 77));
  double holes = 0;
  job.play(
      [&](int step) {
        for (int block = 0; block < 8; ++block) job.heap->take(padded, (0.4 + 0.01 * (step % 30)) * kMiB);
        job.heap->give(padded, job.heap->blocks(padded) - 16);
        holes += 0.9 * kMB;
      },
      1.0, [&] { return holes; });
}

void play_two(record::Writer& writer) {
  OneProcess job(writer);
  const auto pool = job.heap->site(tensor_at("grow_pool", "/data/job/model.py", 12));
  const auto kept = job.heap->site(tensor_at("log_batch", "/data/job/logger.py", 51));
  job.play(
      [&](int step) {
        if (step < 75) job.heap->take(pool, 0.8 * kMiB);
        job.heap->take(kept, 1 * kMiB);
      },
      1.0);
}

void play_worker(record::Writer& writer) {
  Stage stage(writer);
  const auto main = stage.enter(100, 1, model::ProcessRole::Trainer, "python3 train.py");
  const auto worker = stage.enter(201, 100, model::ProcessRole::Worker, "python3 train.py", 1);
  Heap main_heap(stage, main);
  Heap worker_heap(stage, worker);
  const auto batches = main_heap.site(tensor_at("train", "/data/job/train.py", 60));
  const auto decoded = worker_heap.site(tensor_at("__getitem__", "/data/job/data.py", 37));
  play_steps(
      stage,
      [&](int) {
        for (int block = 0; block < 4; ++block) main_heap.take(batches, 0.5 * kMiB);
        main_heap.give(batches, main_heap.blocks(batches) - 2);
        worker_heap.take(decoded, 1 * kMiB);
      },
      [&](model::Tick& tick) {
        main_heap.put(tick);
        worker_heap.put(tick);
        stage[main].own = 180 * kMB + stage.noise(0.5 * kMB);
        stage[worker].own = 60 * kMB + worker_heap.live() + stage.noise(0.5 * kMB);
      });
}

void play_eval_spikes(record::Writer& writer) {
  OneProcess job(writer);
  const auto outputs = job.heap->site(tensor_at("evaluate", "/data/job/eval.py", 37));
  job.play(
      [&](int step) {
        if (step % 30 >= 22 && step % 30 < 28) {
          for (int block = 0; block < 28; ++block) job.heap->take(outputs, 1 * kMiB);
        } else {
          job.heap->give(outputs, job.heap->blocks(outputs));
        }
      },
      1.0);
}

void play_native(record::Writer& writer) {
  OneProcess job(writer);
  const auto decoder = job.heap->site({native("malloc", "/usr/lib/x86_64-linux-gnu/libc.so.6"),
                                       native("decode_frame", "/data/job/build/libdecoder.so"),
                                       native("ffi_call", "/usr/lib/x86_64-linux-gnu/libffi.so.8"),
                                       native("_PyEval_EvalFrameDefault", "/usr/bin/python3.11"),
                                       python("decode", "/data/job/video.py", 39)});
  job.play([&](int) { job.heap->take(decoder, 1 * kMiB); }, 1.0);
}

// An evaluation every 25 steps, whose outputs are kept.
void play_stairs(record::Writer& writer) {
  OneProcess job(writer);
  const auto outputs = job.heap->site(tensor_at("validation_step", "/data/job/module.py", 37));
  job.play(
      [&](int step) {
        for (int block = 0; step % 25 == 24 && block < 40; ++block) job.heap->take(outputs, 0.5 * kMiB);
      },
      1.0);
}

// The agent gives up in mid-run, after it had to drop samples.
void play_agent_off(record::Writer& writer) {
  Stage stage(writer);
  const auto main = stage.enter(100, 1, model::ProcessRole::Trainer, "python3 train.py");
  Heap heap(stage, main);
  const auto kept = heap.site(tensor_at("log_batch", "/data/job/logger.py", 51));
  int steps = 0;
  play_steps(
      stage,
      [&](int step) {
        heap.take(kept, 1 * kMiB);
        steps = step;
      },
      [&](model::Tick& tick) {
        if (steps < kSteps / 2) heap.put(tick, 40);
        stage[main].own = 180 * kMB + heap.live() + stage.noise(0.5 * kMB);
      });
  writer.set_meta("agent_state", "switched-off");
  writer.set_meta("agent_note", "a lock was held for too long \x1b[31m");
}

constexpr std::array kAll{
    Scenario{"site-leak", "trainer.py:631 keeps 1.5 MiB a step for 300 steps", play_leak},
    Scenario{"site-cache", "a cache fills to its bound, then evicts", play_cache},
    Scenario{"site-churn", "much is allocated and freed, RSS rises, nothing is kept", play_churn},
    Scenario{"site-two", "model.py:12 warms up, logger.py:51 leaks", play_two},
    Scenario{"site-worker", "a worker leaks, the trainer does not", play_worker},
    Scenario{"site-spikes", "evaluations take 170 MB and give it back", play_eval_spikes},
    Scenario{"site-native", "a C function leaks 1 MiB a step", play_native},
    Scenario{"site-stairs", "20 MiB kept at every evaluation", play_stairs},
    Scenario{"agent-off", "a leak; the agent switched itself off in mid-run", play_agent_off},
};

}  // namespace

std::span<const Scenario> site_scenarios() {
  return kAll;
}

}  // namespace lowtide::explain

// A heap with an agent in it, on the stage of the scenarios.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "explain/testing/scenario_stage.h"

namespace lowtide::explain {

inline constexpr double kMiB = 1048576;
inline constexpr double kInterval = 512 * 1024;
inline constexpr double kTickSeconds = 0.25;
inline constexpr int kSteps = 300;
inline constexpr double kStartSeconds = 4;
inline constexpr double kRunSeconds = 70;

using Frames = std::vector<model::Frame>;

inline model::Frame python(std::string function, std::string file, std::uint32_t line) {
  return {model::FrameLanguage::Python, std::move(function), std::move(file), line, ""};
}

inline model::Frame native(std::string function, std::string module) {
  return {model::FrameLanguage::Native, std::move(function), "", 0, std::move(module)};
}

// What a tensor that is made at this line of the user's looks like.
inline Frames tensor_at(std::string function, std::string file, std::uint32_t line,
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
  // `tells_old`: the recording knows which samples grew old; those of before did not.
  Heap(Stage& stage, std::size_t actor, bool tells_old = true)
      : stage_(stage), process_(stage[actor].info.id), tells_old_(tells_old) {}

  std::size_t site(Frames frames, bool is_shared = false) {
    static_assert(sizeof(model::SiteId) == 4);
    const auto id =
        model::SiteId{static_cast<std::uint32_t>(process_) * 100 + static_cast<std::uint32_t>(sites_.size())};
    stage_.writer().begin_site({.id = id, .process = process_, .frames = std::move(frames), .cut = false});
    sites_.push_back({});
    sites_.back().is_shared = is_shared;
    sites_.back().reading.site = id;
    sites_.back().reading.process = process_;
    if (tells_old_) sites_.back().reading.old.emplace();
    return sites_.size() - 1;
  }
  void take(std::size_t at, double bytes) {
    Site& site = sites_[at];
    site.changed = true;
    live_ += bytes;
    const double chance = 1 - std::exp(-bytes / kInterval);
    const bool sampled = stage_.noise(1) + 0.5 < chance;
    const double weight = sampled ? bytes / chance : 0;
    site.blocks.push_back({bytes, weight});
    if (!sampled) return;
    ++site.reading.allocated_samples;
    ++site.reading.live_samples;
    site.reading.allocated_bytes += whole(weight);
    site.reading.live_bytes += whole(weight);
  }
  // The oldest of them.
  void give(std::size_t at, std::size_t blocks) {
    Site& site = sites_[at];
    for (; blocks > 0 && !site.blocks.empty(); --blocks) {
      forget(site, site.blocks.front());
      site.blocks.pop_front();
    }
  }
  // What was taken last.
  void give_back(std::size_t at, std::size_t blocks) {
    Site& site = sites_[at];
    for (; blocks > 0 && !site.blocks.empty(); --blocks) {
      forget(site, site.blocks.back());
      site.blocks.pop_back();
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
      let_age(site, tick.at_s);
      site.reading.shared_bytes = site.is_shared ? site.reading.live_bytes : 0;
      heap.live_bytes += site.reading.live_bytes - site.reading.shared_bytes;
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
  struct Block {
    double bytes = 0;
    double weight = 0;    // 0: not sampled
    double since_s = -1;  // of the first reading that found it alive
    bool is_old = false;
  };
  struct Site {
    model::SiteReading reading;
    std::deque<Block> blocks;
    bool is_shared = false;
    bool changed = false;
  };

  void forget(Site& site, const Block& block) {
    site.changed = true;
    live_ -= block.bytes;
    if (block.weight == 0) return;
    --site.reading.live_samples;
    site.reading.live_bytes -= whole(block.weight);
    if (!block.is_old) return;
    --site.reading.old->samples;
    site.reading.old->bytes -= whole(block.weight);
    ++site.reading.old->freed_samples;
  }
  void let_age(Site& site, double at_s) const {
    if (!tells_old_) return;
    const double old_after_s = std::clamp(at_s / 16, 1.0, 10.0);
    for (Block& block : site.blocks) {
      if (block.since_s < 0) block.since_s = at_s;
      if (block.is_old || block.weight == 0 || at_s - block.since_s < old_after_s) continue;
      block.is_old = site.changed = true;
      ++site.reading.old->samples;
      site.reading.old->bytes += whole(block.weight);
    }
  }

  Stage& stage_;
  model::ProcessId process_;
  bool tells_old_;
  std::vector<Site> sites_;
  double live_ = 0;
};

// 300 steps in 70 s after a start of 4 s, a tick every quarter of a second.
struct Pace {
  int steps = kSteps;
  double run_s = kRunSeconds;
  double tick_s = kTickSeconds;
};

// `packing_up_s`: the time from the last step to the end of the process.
inline void play_steps(Stage& stage, const std::function<void(int step)>& on_step,
                       const std::function<void(model::Tick&)>& on_tick, double packing_up_s = 0,
                       const Pace& pace = {}) {
  int done = 0;
  double at_s = 0;
  for (; at_s <= kStartSeconds + pace.run_s + packing_up_s; at_s += pace.tick_s) {
    const double due = (at_s - kStartSeconds) / pace.run_s * pace.steps;
    while (done < pace.steps && done < due) on_step(done++);
    model::Tick tick = stage.tick(at_s, done == 0 ? model::kUnknown : done - 1);
    on_tick(tick);
    stage.put(tick);
  }
  stage.end(at_s + 0.5);
}

// One process with a heap; resident memory is a constant and `factor` times the live memory,
// and never shrinks below what it once was where the allocator keeps it.
struct OneProcess {
  explicit OneProcess(record::Writer& writer, bool tells_old = true) : stage(writer) {
    main = stage.enter(100, 1, model::ProcessRole::Trainer, "python3 train.py");
    heap.emplace(stage, main, tells_old);
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

}  // namespace lowtide::explain

#include "explain/testing/gpu_scenarios.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "explain/testing/scenario_stage.h"

namespace lowtide::explain {
namespace {

void play_leak_on_gpu(record::Writer& writer, double host_per_tick, double gpu_per_tick) {
  Stage stage(writer);
  const auto main = stage.enter(100, 1, model::ProcessRole::Trainer, "python train.py");
  for (int at = 0; at < kTicks; ++at) {
    stage[main].own = 300 * kMB * settled(at) + host_per_tick * at + stage.noise(0.2 * kMB);
    model::Tick tick = stage.tick(at, 2.0 * at);
    const std::uint64_t held = whole(2 * kGB + gpu_per_tick * at);
    tick.gpus.push_back({0, 80ULL << 30U, held + whole(kGB)});
    tick.gpu_processes.push_back({0, stage[main].info.id, held});
    stage.put(tick);
  }
  stage.end(kTicks);
}

void play_gpu(record::Writer& writer) {
  play_leak_on_gpu(writer, 0, 4 * kMB);
}

void play_gpu_first(record::Writer& writer) {
  play_leak_on_gpu(writer, 0.2 * kMB, 40 * kMB);
}

// Too short to be sure of, and nothing else moves.
void play_short_on_gpu(record::Writer& writer, int ticks, double first_bytes, double per_tick) {
  Stage stage(writer);
  const auto main = stage.enter(100, 1, model::ProcessRole::Trainer, "python train.py");
  for (int at = 0; at < ticks; ++at) {
    stage[main].own = 300 * kMB + stage.noise(0.2 * kMB);
    model::Tick tick = stage.tick(at, 2.0 * at);
    const std::uint64_t held = whole(first_bytes + per_tick * at + stage.noise(5 * per_tick));
    tick.gpus.push_back({0, 80ULL << 30U, held + whole(kGB)});
    tick.gpu_processes.push_back({0, stage[main].info.id, held});
    stage.put(tick);
  }
  stage.end(ticks);
}

void play_gpu_lean(record::Writer& writer) {
  play_short_on_gpu(writer, 120, 2 * kGB, 4 * kMB);
}

void play_gpu_open(record::Writer& writer) {
  play_short_on_gpu(writer, 60, 200 * kMB, 10 * kMB);
}

// The tensors of torch stay as they are. What torch reserves grows, or what others take beside it.
// The counts of torch are a moment older than the driver's.
void play_beside_torch(record::Writer& writer, double reserved_per_tick, double outside_per_tick,
                       double pinned_per_tick = 0) {
  const auto reserved_at = [&](int at) { return 3 * kGB + reserved_per_tick * at * (1 + at / 100.0); };
  Stage stage(writer);
  const auto main = stage.enter(100, 1, model::ProcessRole::Trainer, "python train.py");
  for (int at = 0; at < kTicks; ++at) {
    stage[main].own = 300 * kMB + stage.noise(0.2 * kMB);
    model::Tick tick = stage.tick(at, 2.0 * at);
    const std::uint64_t held = whole(reserved_at(at) + 0.5 * kGB + outside_per_tick * at);
    tick.gpus.push_back({0, 80ULL << 30U, held});
    tick.gpu_processes.push_back(
        {.index = 0,
         .id = stage[main].info.id,
         .bytes = held,
         .torch = model::TorchReading{.allocated_bytes = whole(2 * kGB),
                                      .reserved_bytes = whole(reserved_at(at - 1)),
                                      .inactive_split_bytes = whole(0.9 * kGB),
                                      .retries = 2,
                                      .pinned_bytes = whole(64 * kMB + pinned_per_tick * at)}});
    stage.put(tick);
  }
  stage.end(kTicks);
}

void play_gpu_fragments(record::Writer& writer) {
  play_beside_torch(writer, 4 * kMB, 0);
}

void play_gpu_outside(record::Writer& writer) {
  play_beside_torch(writer, 0, 4 * kMB);
}

void play_gpu_pinned(record::Writer& writer) {
  play_beside_torch(writer, 0, 0, 2 * kMB);
}

// What a job of torch kept is freed at its last step; torch keeps it reserved. Its end is read three times.
void play_gpu_freed_at_end(record::Writer& writer) {
  constexpr int kLast = kTicks - 3;
  Stage stage(writer);
  const auto main = stage.enter(100, 1, model::ProcessRole::Trainer, "python train.py");
  for (int at = 0; at < kTicks; ++at) {
    stage[main].own = 300 * kMB + stage.noise(0.2 * kMB);
    model::Tick tick = stage.tick(at, 2.0 * std::min(at, kLast));
    const std::uint64_t held = whole(80 * kMB + 4 * kMB * at);
    tick.gpus.push_back({0, 80ULL << 30U, held + whole(2 * kGB)});
    tick.gpu_processes.push_back(
        {.index = 0,
         .id = stage[main].info.id,
         .bytes = held + whole(kGB),
         .torch = model::TorchReading{.allocated_bytes = at < kLast ? held : whole(80 * kMB),
                                      .reserved_bytes = held + whole(0.1 * kGB)}});
    stage.put(tick);
  }
  stage.end(kTicks);
}

void play_gpu_ranks(record::Writer& writer) {
  Stage stage(writer);
  const std::array ranks{stage.enter(100, 1, model::ProcessRole::Rank, "python ddp.py"),
                         stage.enter(101, 1, model::ProcessRole::Rank, "python ddp.py")};
  for (int at = 0; at < kTicks; ++at) {
    for (const std::size_t rank : ranks) stage[rank].own = 300 * kMB + stage.noise(0.2 * kMB);
    model::Tick tick = stage.tick(at, 2.0 * at);
    const std::uint64_t held = whole(2 * kGB + 4 * kMB * at);
    for (const std::size_t rank : ranks) {
      tick.gpu_processes.push_back(
          {.index = 0,
           .id = stage[rank].info.id,
           .bytes = held + whole(kGB),
           .torch = model::TorchReading{.allocated_bytes = held, .reserved_bytes = held}});
    }
    tick.gpus.push_back({0, 80ULL << 30U, 2 * held + whole(2 * kGB)});
    stage.put(tick);
  }
  stage.end(kTicks);
}

constexpr std::array kGpu{
    Scenario{"gpu", "leaks on the GPU, not on the host", play_gpu},
    Scenario{"gpu-first", "leaks on the host, and much faster on the GPU", play_gpu_first},
    Scenario{"gpu-freed-at-end", "leaks on the GPU until the last step, which frees it",
             play_gpu_freed_at_end},
    Scenario{"gpu-ranks", "two ranks leak on the GPU that they share", play_gpu_ranks},
    Scenario{"gpu-lean", "grows on the GPU for two minutes, not on the host", play_gpu_lean},
    Scenario{"gpu-open", "quadruples on the GPU in a minute, not on the host", play_gpu_open},
    Scenario{"gpu-fragments", "torch reserves ever more, its tensors do not grow", play_gpu_fragments},
    Scenario{"gpu-outside", "memory of the process grows on the GPU beside torch", play_gpu_outside},
    Scenario{"gpu-pinned", "pinned memory of the host grows", play_gpu_pinned},
};

}  // namespace

std::span<const Scenario> gpu_scenarios() {
  return kGpu;
}

}  // namespace lowtide::explain

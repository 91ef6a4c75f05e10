// Jobs that grow and do not leak: what an agent sees of them.

#include <array>

#include "explain/testing/heap_stage.h"
#include "explain/testing/site_scenarios.h"

namespace lowtide::explain {
namespace {

// Samples are cached when they are first asked for: the first epoch, 200 steps, fills the memory.
void play_lazy_dataset(record::Writer& writer) {
  OneProcess job(writer);
  const auto samples = job.heap->site(tensor_at("__getitem__", "/data/job/data.py", 52));
  job.play(
      [&](int step) {
        for (int block = 0; step < 200 && block < 4; ++block) job.heap->take(samples, 0.25 * kMiB);
      },
      1.0);
}

// deque(maxlen=150): what falls out was kept for long.
void play_bounded_history(record::Writer& writer) {
  OneProcess job(writer);
  const auto history = job.heap->site(tensor_at("log", "/data/job/logger.py", 20));
  job.play(
      [&](int) {
        job.heap->take(history, 1 * kMiB);
        if (job.heap->blocks(history) > 150) job.heap->give(history, 1);
      },
      1.0);
}

// Fills from step 180 on, and is not full at the end: nobody can know, and nobody may say leak.
void play_late_cache(record::Writer& writer) {
  OneProcess job(writer);
  const auto cache = job.heap->site(tensor_at("lookup", "/data/job/cache.py", 18));
  job.play(
      [&](int step) {
        if (step >= 180) job.heap->take(cache, 2 * kMiB);
      },
      1.0);
}

// A curriculum: the batches of every step are larger than those of the one before, to the end.
void play_growing_batches(record::Writer& writer) {
  OneProcess job(writer);
  const auto batch = job.heap->site(tensor_at("forward", "/data/job/model.py", 61));
  job.play(
      [&](int step) {
        job.heap->give(batch, job.heap->blocks(batch));
        for (int block = 0; block < step; ++block) job.heap->take(batch, 0.5 * kMiB);
      },
      1.0);
}

// Every 12 steps a thread comes and gets an arena of its own; live memory stays as it was.
void play_arenas(record::Writer& writer) {
  OneProcess job(writer);
  const auto buffers = job.heap->site(tensor_at("decode", "/data/job/pool.py", 29));
  double arenas = 0;
  job.play(
      [&](int step) {
        for (int block = 0; block < 8; ++block) job.heap->take(buffers, 0.5 * kMiB);
        if (job.heap->blocks(buffers) > 16) job.heap->give(buffers, job.heap->blocks(buffers) - 16);
        if (step % 12 == 0) arenas += 8 * kMB;
      },
      1.0, [&] { return arenas; });
}

// One segment, mapped at the start and as large as the dataset, fills page by page.
void play_shared_cache(record::Writer& writer) {
  OneProcess job(writer);
  const auto segment = job.heap->site({python("open_cache", "/data/job/data.py", 12)}, true);
  double touched = 0;
  bool mapped = false;
  job.play(
      [&](int) {
        if (!std::exchange(mapped, true)) job.heap->take(segment, 400 * kMiB);
        touched += 0.9 * kMiB;
        job.stage[job.main].shmem = touched;
      },
      0.0, [&] { return touched; });
}

constexpr std::array kAll{
    Scenario{"site-lazy-dataset", "a dataset is cached in the first epoch, 200 steps", play_lazy_dataset},
    Scenario{"site-bounded-history", "a history of 150 entries, full at step 150", play_bounded_history},
    Scenario{"site-late-cache", "a cache that begins to fill at step 180", play_late_cache},
    Scenario{"site-growing-batches", "batches grow to the end, none is kept", play_growing_batches},
    Scenario{"site-arenas", "arenas of threads: live memory does not grow", play_arenas},
    Scenario{"site-shared-cache", "one shared segment fills page by page", play_shared_cache},
};

}  // namespace

std::span<const Scenario> site_lookalikes() {
  return kAll;
}

}  // namespace lowtide::explain

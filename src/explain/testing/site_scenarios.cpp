#include "explain/testing/site_scenarios.h"

#include <array>

#include "explain/testing/heap_stage.h"

namespace lowtide::explain {
namespace {

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

void play_holes_of(record::Writer& writer, std::vector<model::Frame> frames) {
  OneProcess job(writer);
  const auto padded = job.heap->site(std::move(frames));
  double holes = 0;
  job.play(
      [&](int step) {
        for (int block = 0; block < 8; ++block) job.heap->take(padded, (0.4 + 0.01 * (step % 30)) * kMiB);
        job.heap->give(padded, job.heap->blocks(padded) - 16);
        holes += 0.9 * kMB;
      },
      1.0, [&] { return holes; });
}

void play_churn(record::Writer& writer) {
  play_holes_of(writer, tensor_at("collate", "/data/job/data.py", 77));
}

void play_thread_churn(record::Writer& writer) {
  std::vector<model::Frame> frames = tensor_at("collate", "/data/job/data.py", 77);
  frames.push_back({.language = model::FrameLanguage::Python,
                    .function = "Thread._bootstrap",
                    .file = "/usr/lib/python3.11/threading.py",
                    .line = 995});
  play_holes_of(writer, std::move(frames));
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
  OneProcess job(writer, false);
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

// A record of many small strings is kept, and ten times as much is freed on the way, from the same stack.
void play_temporaries(record::Writer& writer) {
  OneProcess job(writer);
  const auto words = job.heap->site({python("tokenize", "/data/job/words.py", 31)});
  job.play(
      [&](int) {
        for (int block = 0; block < 16; ++block) job.heap->take(words, 32 * 1024);
        for (int block = 0; block < 160; ++block) {
          job.heap->take(words, 32 * 1024);
          job.heap->give_back(words, 1);
        }
      },
      1.0);
}

// Half of what resident memory gains are holes between aligned blocks.
void play_holes(record::Writer& writer) {
  OneProcess job(writer);
  const auto norms = job.heap->site(tensor_at("log_norms", "/data/job/train.py", 33));
  job.play([&](int) { job.heap->take(norms, 1 * kMiB); }, 2.05);
}

// The list is gone when the function returns, seconds before the process ends; its memory is not.
void play_packing_up(record::Writer& writer) {
  Stage stage(writer);
  const auto main = stage.enter(100, 1, model::ProcessRole::Trainer, "python3 train.py");
  Heap heap(stage, main);
  const auto kept = heap.site(tensor_at("train", "/data/job/rank.py", 33));
  double most = 0;
  play_steps(
      stage, [&](int) { heap.take(kept, 1 * kMiB); },
      [&](model::Tick& tick) {
        if (tick.at_s > kStartSeconds + kRunSeconds + 0.5) heap.give(kept, heap.blocks(kept));
        most = std::max(most, heap.live());
        heap.put(tick);
        stage[main].own = 180 * kMB + most + stage.noise(0.5 * kMB);
      },
      16);
}

// Batches that came from workers are kept, in shared memory.
void play_shared(record::Writer& writer) {
  OneProcess job(writer);
  const auto batches =
      job.heap->site({native("mmap64", "/usr/lib/x86_64-linux-gnu/libc.so.6"),
                      python("rebuild_storage_fd",
                             "/usr/lib/python3/dist-packages/torch/multiprocessing/reductions.py", 327),
                      python("<module>", "/data/job/train.py", 43)},
                     true);
  double shared = 0;
  job.play(
      [&](int) {
        job.heap->take(batches, 0.75 * kMiB);
        shared += 0.75 * kMiB;
        job.stage[job.main].shmem = shared;
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
  writer.set_meta<record::Meta::AgentState>("switched-off");
  writer.set_meta<record::Meta::AgentNote>("a lock was held for too long \x1b[31m");
}

constexpr std::array kAll{
    Scenario{"site-leak", "trainer.py:631 keeps 1.5 MiB per step for 300 steps", play_leak},
    Scenario{"site-cache", "a cache fills to its bound, then evicts", play_cache},
    Scenario{"site-churn", "much is allocated and freed, RSS rises, nothing is kept", play_churn},
    Scenario{"site-thread-churn", "the same, in threads", play_thread_churn},
    Scenario{"site-two", "model.py:12 warms up, logger.py:51 leaks", play_two},
    Scenario{"site-worker", "a worker leaks, the trainer does not", play_worker},
    Scenario{"site-spikes", "evaluations take 170 MB and give it back", play_eval_spikes},
    Scenario{"site-native", "a C function leaks 1 MiB per step", play_native},
    Scenario{"site-stairs", "20 MiB kept at every evaluation", play_stairs},
    Scenario{"site-temporaries", "words.py:31 keeps 0.5 MiB per step and frees ten times as much",
             play_temporaries},
    Scenario{"site-holes", "train.py:33 keeps 1 MiB per step, resident memory gains two", play_holes},
    Scenario{"site-packing-up", "rank.py:33 keeps 1 MiB per step until the training returns",
             play_packing_up},
    Scenario{"site-shared", "train.py:43 keeps batches in shared memory", play_shared},
    Scenario{"agent-off", "a leak; the agent switched itself off in mid-run", play_agent_off},
};

}  // namespace

std::span<const Scenario> site_scenarios() {
  return kAll;
}

}  // namespace lowtide::explain

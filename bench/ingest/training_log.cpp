// The log that matters most: what a training job on a cluster leaves behind.
//
// Mixed on purpose from lines that come again with other numbers (bars, dicts, loggers) and lines
// that never come again (paths, sentences, hashes), a third of the bytes each and a third in between.

#include <fmt/format.h>

#include <array>
#include <iterator>

#include "logs.h"

namespace lowtide::bench {
namespace {

constexpr std::array<std::string_view, 72> kWords = {
    "loading",   "shard",    "from",      "bucket",   "retry",      "tokenizer", "worker",    "cache",
    "split",     "saving",   "synced",    "config",   "using",      "device",    "waiting",   "for",
    "the",       "next",     "barrier",   "prefetch", "queue",      "drained",   "after",     "timeout",
    "with",      "mixed",    "precision", "enabled",  "attention",  "backend",   "flash",     "compiled",
    "graph",     "captured", "optimizer", "state",    "partitions", "gathered",  "across",    "ranks",
    "scheduler", "warmup",   "finished",  "cosine",   "decay",      "gradient",  "clipped",   "because",
    "norm",      "exceeded", "threshold", "dataset",  "shuffled",   "seed",      "evaluator", "metrics",
    "written",   "to",       "upload",    "complete", "connection", "reset",     "by",        "peer",
    "resolving", "checksum", "of",        "manifest", "fallback",   "tensor",    "layout",    "channels"};

constexpr std::array<std::string_view, 10> kModules = {
    "trainer",  "data.loader", "data.sampler",        "checkpoint.writer", "optim.zero",
    "profiler", "accelerator", "distributed.elastic", "hub.download",      "eval.harness"};

constexpr std::array<std::string_view, 8> kFiles = {
    "/opt/conda/lib/python3.11/site-packages/torch/utils/data/dataloader.py",
    "/opt/conda/lib/python3.11/site-packages/torch/nn/modules/module.py",
    "/opt/conda/lib/python3.11/site-packages/transformers/trainer.py",
    "/opt/conda/lib/python3.11/site-packages/accelerate/utils/operations.py",
    "/opt/conda/lib/python3.11/site-packages/deepspeed/runtime/engine.py",
    "/workspace/project/train.py",
    "/workspace/project/data/streaming.py",
    "/workspace/project/models/decoder.py"};

constexpr std::array<std::string_view, 4> kWarnings = {
    "UserWarning: The given NumPy array is not writable, and PyTorch does not support non-writable tensors.",
    "FutureWarning: `torch.cuda.amp.autocast(args...)` is deprecated. Please use the new form instead.",
    "UserWarning: Detected call of `lr_scheduler.step()` before `optimizer.step()`.",
    "DeprecationWarning: the imp module is deprecated in favour of importlib"};

constexpr std::uint64_t kSteps = 9'000'000;

template <typename... Arguments>
void add(std::string& text, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::format_to(std::back_inserter(text), format, std::forward<Arguments>(arguments)...);
}

void add_time(std::uint64_t step, std::string& text) {
  const std::uint64_t ms = step * 137;
  add(text, "2026-05-{:02} {:02}:{:02}:{:02},{:03}", 1 + ms / 86'400'000 % 28, ms / 3'600'000 % 24,
      ms / 60'000 % 60, ms / 1000 % 60, ms % 1000);
}

// As tqdm draws it: the filled part in eighths of a character, then \r.
void add_bar(std::uint64_t step, Random& random, std::string& text) {
  static constexpr std::array<std::string_view, 8> kEighths = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const std::uint64_t eighths = step * 80 / kSteps;
  add(text, "{:>3}%|", step * 100 / kSteps);
  for (std::uint64_t i = 0; i < 10; ++i) {
    text += i < eighths / 8 ? "█" : i == eighths / 8 ? kEighths[eighths % 8] : " ";
  }
  const std::uint64_t spent_s = step * 137 / 1000;
  const std::uint64_t left_s = (kSteps - step) * 137 / 1000;
  add(text, "| {}/{} [{:02}:{:02}:{:02}<{:02}:{:02}:{:02}, {:>5.2f}it/s]\r", step, kSteps, spent_s / 3600,
      spent_s / 60 % 60, spent_s % 60, left_s / 3600, left_s / 60 % 60, left_s % 60, 6 + random.up_to(2));
}

void add_trainer_lines(std::uint64_t step, Random& random, std::string& text) {
  add(text, "{{'loss': {:.4f}, 'grad_norm': {:.6f}, 'learning_rate': {:.8e}, 'epoch': {:.2f}}}\n",
      1 + random.up_to(2), random.up_to(3), 1e-5 + random.up_to(1e-4),
      static_cast<double>(step) / kSteps * 3);
  add_time(step, text);
  add(text, " | INFO | rank0 | trainer | tokens/s {} | samples/s {:.2f} | mfu {:.3f} | data wait {:.1f} ms\n",
      100'000 + random.below(90'000), 40 + random.up_to(20), 0.3 + random.up_to(0.2), random.up_to(30));
}

void add_memory(std::uint64_t step, Random& random, std::string& text) {
  add_time(step, text);
  add(text,
      " | INFO | rank0 | memory | step {} | rss {:.1f} MB | cuda allocated {:.2f} GB, reserved {:.2f} GB\n",
      step, 21'000 + random.up_to(900), 31 + random.up_to(2), 44 + random.up_to(1));
}

void add_path_line(std::uint64_t step, Random& random, std::string& text) {
  add_time(step, text);
  add(text, " | DEBUG | worker{} | {} | {} s3://corpus-{}/{}/{}/part-{:05}.tar.zst key={:08x}{:08x} {}\n",
      random.below(8), random.one_of(kModules), random.one_of(kWords), random.one_of(kWords),
      random.one_of(kWords), random.one_of(kWords), random.below(100'000), random.below(1U << 31U),
      random.below(1U << 31U), random.one_of(kWords));
}

void add_traceback(Random& random, std::string& text) {
  text += "Traceback (most recent call last):\n";
  for (int i = 0; i < 6; ++i) {
    add(text, "  File \"{}\", line {}, in {}_{}\n    return self.{}({}, *args, **kwargs)\n",
        random.one_of(kFiles), 10 + random.below(3000), random.one_of(kWords), random.one_of(kWords),
        random.one_of(kWords), random.one_of(kWords));
  }
  add(text, "ConnectionResetError: [Errno 104] Connection reset by peer while {} {}\n", random.one_of(kWords),
      random.one_of(kWords));
}

}  // namespace

void add_sentence(Random& random, std::string& text) {
  for (int i = 0; i < 12; ++i) {
    text += random.one_of(kWords);
    text += ' ';
  }
  add(text, "{} ({})", random.below(1000), random.below(100'000));
}

void add_training_step(std::uint64_t step, Random& random, std::string& text) {
  add_bar(step, random, text);
  if (step % 5 == 0) add_trainer_lines(step, random, text);
  if (step % 20 == 0) add_memory(step, random, text);
  if (random.below(3) == 0) add_path_line(step, random, text);
  if (random.below(4) == 0) {
    add_time(step, text);
    add(text, " | INFO | rank0 | {} | ", random.one_of(kModules));
    add_sentence(random, text);
    text += '\n';
  }
  if (random.below(25) == 0) {
    add(text, "{}:{}: {}\n  warnings.warn(\n", random.one_of(kFiles), 10 + random.below(3000),
        random.one_of(kWarnings));
  }
  if (random.below(25) == 0) {
    add(text, "node{:02}:{}:{} [{}] NCCL INFO Channel {:02}/{:02} : {}[{:x}] -> {}[{:x}] via P2P/IPC/read\n",
        random.below(16), 1000 + random.below(60'000), 1000 + random.below(60'000), random.below(8),
        random.below(24), 24, random.below(8), random.below(1U << 20U), random.below(8),
        random.below(1U << 20U));
  }
  if (random.below(400) == 0) add_traceback(random, text);
  if (random.below(60) == 0) text += '\n';
}

}  // namespace lowtide::bench

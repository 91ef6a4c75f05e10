#include "logs.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

namespace lowtide::bench {
namespace {

using Text = std::string;

template <typename... Arguments>
void add(Text& text, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::format_to(std::back_inserter(text), format, std::forward<Arguments>(arguments)...);
}

void add_step_line(std::uint64_t i, Random& random, Text& text) {
  add(text, "Step {}:  {} MB\n", i, 5000 + random.below(20000));
}

void add_timestamped(std::uint64_t i, Random& random, Text& text) {
  add(text, "2026-05-18 16:{:02}:{:02},{:03} - train - INFO - step: {} loss: {:.4f} RAM: {:.1f} MB\n",
      i / 60 % 60, i % 60, random.below(1000), i, random.up_to(3), 5000 + random.up_to(9000));
}

void add_memory_line(std::uint64_t i, Random& random, Text& text) {
  add(text, "step {} RAM: {}.5 MB\n", i, 5000 + random.below(90000));
}

void add_repeating_noise(std::uint64_t i, Random& random, Text& text) {
  if (i % 50 == 0) return add_memory_line(i, random, text);
  add(text, "2026-05-18 16:04:{:02} INFO trainer: loss={:.4f} lr={:.2e} grad_norm={:.3f} tokens={}\n", i % 60,
      random.up_to(3), 3e-4, random.up_to(9), random.below(100000));
}

void add_free_text(std::uint64_t i, Random& random, Text& text) {
  if (i % 50 == 0) return add_memory_line(i, random, text);
  text += "INFO ";
  add_sentence(random, text);
  text += '\n';
}

void add_csv_row(std::uint64_t i, Random& random, Text& text) {
  add(text, "{:.3f},{},{:.2f},{:.4f}\n", 0.5 * static_cast<double>(i), i, 5000 + random.up_to(9000),
      random.up_to(3));
}

void add_json_line(std::uint64_t i, Random& random, Text& text) {
  add(text, "{{\"step\": {}, \"loss\": {:.4f}, \"rss_mb\": {:.1f}}}\n", i, random.up_to(3),
      5000 + random.up_to(9000));
}

void add_without_end(std::uint64_t /*i*/, Random& random, Text& text) {
  add_sentence(random, text);
  text += ' ';
}

}  // namespace

std::vector<Kind> kinds() {
  return {
      {"training log", &add_training_step, ""},
      {"free text, 2% memory", &add_free_text, ""},
      {"noise that repeats, 2% memory", &add_repeating_noise, ""},
      {"timestamped step lines", &add_timestamped, ""},
      {"JSON lines", &add_json_line, ""},
      {"CSV", &add_csv_row, "time,step,rss_mb,loss\n"},
      {"Step N:  X MB", &add_step_line, ""},
      {"one line, but for the first", &add_without_end, "step 1 RAM: 5000.5 MB\n"},
  };
}

bool make_log(const Kind& kind, const std::string& path, std::uint64_t megabytes) {
  std::ofstream file(path, std::ios::binary);
  std::string block(kind.header);
  Random random;
  std::uint64_t written = 0;
  for (std::uint64_t i = 1; written < megabytes * 1'000'000; ++i) {
    kind.add(i, random, block);
    if (block.size() < (1U << 20U)) continue;
    file << block;
    written += block.size();
    block.clear();
  }
  file << block;
  file.flush();
  return file.good();
}

}  // namespace lowtide::bench

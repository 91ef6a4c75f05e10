#include "observe/agents/gpu_blocks_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "base/text.h"
#include "wire/snapshot.h"

namespace lowtide::observe {
namespace {

constexpr std::size_t kMostGpuRows = 256;
constexpr std::uint64_t kMostGpuBytes = 1ULL << 50U;  // more no GPU has, and sums cannot overflow

// The words of one line, and what is left of it.
class TextWords {
 public:
  explicit TextWords(std::string_view line) : rest_(line) {}

  std::string_view next() {
    const std::size_t end = std::min(rest_.find(' '), rest_.size());
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return word;
  }

  std::uint64_t number(std::uint64_t most = kMostGpuBytes) {
    const std::string_view word = next();
    std::uint64_t out = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), out);
    if (word.empty() || error != std::errc() || end != word.data() + word.size() || out > most)
      is_sound_ = false;
    return out;
  }

  int device() { return static_cast<int>(number(1024)); }

  [[nodiscard]] std::string text(std::string_view from) const {
    return base::printable(from, wire::kMaxPathBytes);
  }
  [[nodiscard]] std::string_view rest() const { return rest_; }
  [[nodiscard]] bool is_sound() const { return is_sound_; }

 private:
  std::string_view rest_;
  bool is_sound_ = true;
};

// torch gives the pool of a graph the id (n, 0), and one that the job has made (0, n).
std::string pool_name(std::uint64_t graph, std::uint64_t own) {
  if (graph == 0 && own == 0) return "default";
  return own == 0 ? fmt::format("CUDA graph {}", graph) : fmt::format("private pool {}", own);
}

void read_pool(TextWords& words, model::Snapshot& into) {
  model::GpuPool pool;
  pool.device = words.device();
  const std::uint64_t graph = words.number(std::numeric_limits<std::uint64_t>::max());
  const std::uint64_t own = words.number(std::numeric_limits<std::uint64_t>::max());
  pool.name = pool_name(graph, own);
  for (std::uint64_t* number :
       {&pool.reserved_bytes, &pool.allocated_bytes, &pool.requested_bytes, &pool.awaiting_bytes,
        &pool.split_bytes, &pool.whole_bytes, &pool.largest_free_bytes, &pool.free_blocks,
        &pool.beside_small_bytes, &pool.mappable_bytes, &pool.segments, &pool.least_segment_bytes,
        &pool.most_segment_bytes, &pool.segment_sizes}) {
    *number = words.number();
  }
  pool.is_expandable = words.number(1) == 1;
  if (words.is_sound() && into.gpu_pools.size() < kMostGpuRows) into.gpu_pools.push_back(std::move(pool));
}

void read_line(TextWords& words, model::GpuLineKind kind, bool is_at_peak, model::Snapshot& into) {
  model::GpuLine line{.device = words.device(), .kind = kind, .is_at_peak = is_at_peak};
  line.bytes = words.number();
  line.blocks = words.number();
  if (kind == model::GpuLineKind::Line) {
    line.line = words.number();
    line.function = words.text(words.next());
    line.file = words.text(words.rest());
    if (line.file.empty()) return;
  }
  if (words.is_sound() && into.gpu_lines.size() < kMostGpuRows) into.gpu_lines.push_back(std::move(line));
}

std::optional<model::GpuLineKind> line_kind(std::string_view word) {
  using enum model::GpuLineKind;
  if (word == "line") return Line;
  if (word == "other") return FurtherLines;
  if (word == "without") return WithoutStack;
  if (word == "before") return BeforeStep;
  return std::nullopt;
}

void read_history(TextWords& words, model::GpuBlocks& into) {
  const std::uint64_t recorded = words.number();
  const std::uint64_t steps = words.number();
  words.number();  // one of how many steps is recorded at present
  if (!words.is_sound() || recorded > steps) return;
  into.recorded_steps = recorded;
  into.steps = steps;
  into.no_stacks = words.text(words.rest());
}

void read_peak(TextWords& words, model::Snapshot& into) {
  const model::GpuPeak peak{words.device(), words.number(), words.number()};
  if (words.is_sound() && into.gpu_peaks.size() < kMostGpuRows) into.gpu_peaks.push_back(peak);
}

void read_one(std::string_view line, model::Snapshot& into) {
  TextWords words(line);
  const std::string_view what = words.next();
  if (what == "pool") read_pool(words, into);
  if (what == "peak") read_peak(words, into);
  if (what == "peak-step") {
    const std::uint64_t step = words.number();
    if (words.is_sound()) into.gpu_blocks.peak_step = step;
  }
  constexpr std::string_view kAtPeak = "peak-";
  const bool is_at_peak = what.starts_with(kAtPeak);
  if (const auto kind = line_kind(is_at_peak ? what.substr(kAtPeak.size()) : what))
    read_line(words, *kind, is_at_peak, into);
  if (what == "history") read_history(words, into.gpu_blocks);
  if (what == "backend") into.gpu_blocks.allocator = words.text(words.next());
}

}  // namespace

void add_gpu_blocks(std::string_view text, model::Snapshot& into) {
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    read_one(text.substr(0, end), into);  // a last line without an end was cut
    text.remove_prefix(end + 1);
  }
}

}  // namespace lowtide::observe

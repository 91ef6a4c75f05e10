// Generated logs for measurements. They are the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::bench {

class Random {
 public:
  std::uint64_t below(std::uint64_t limit) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state_ >> 33U) % limit;
  }
  // 0 to `limit`, in steps of a thousandth of it.
  double up_to(double limit) { return limit * 0.001 * static_cast<double>(below(1001)); }

  template <typename List>
  auto one_of(const List& list) {
    return list[below(std::size(list))];
  }

 private:
  std::uint64_t state_ = 42;
};

struct Kind {
  std::string_view name;
  std::function<void(std::uint64_t, Random&, std::string&)> add;  // the lines of step i, appended
  std::string_view header;
};

// One kind of line each, the hardest and the easiest there are, and a training log of all kinds.
std::vector<Kind> kinds();

// A log of Hugging Face's trainer on a cluster: progress bars, dicts, loggers, warnings, NCCL, tracebacks and
// sentences with paths. About one line in forty has a reading of memory.
void add_training_step(std::uint64_t step, Random& random, std::string& text);

// Twelve words and two numbers; no two lines have the same shape.
void add_sentence(Random& random, std::string& text);

// Writes `megabytes` of a kind, a mebibyte at a time. False = the disk is full, or the like.
bool make_log(const Kind& kind, const std::string& path, std::uint64_t megabytes);

}  // namespace lowtide::bench

#include "ingest/words/words.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/units.h"
#include "ingest/words/number.h"
#include "ingest/words/vocabulary.h"

namespace lowtide::ingest {
namespace {

using model::Quantity;
using Class = WordClass;

// What was seen in a phrase, before it is weighed.
struct Seen {
  std::uint32_t classes = 0;
  int rank = 0;
  int step_rank = 0;
  double size_scale = 0;
  double time_scale = 0;
  bool percent_sign = false;
  bool foreign_unit = false;  // "[MHz]", "[W]": measured, but not memory
  bool deepspeed_pair = false;
  std::size_t words = 0;
  std::string rest;

  void add(Class is) { classes |= 1U << static_cast<unsigned>(is); }
  [[nodiscard]] bool has(Class is) const { return (classes & (1U << static_cast<unsigned>(is))) != 0; }
};

constexpr std::size_t kMaxWord = 24;

void see_word(std::string_view word, bool in_brackets, bool attached, Seen& seen) {
  if (word.empty() || word.size() > kMaxWord) {
    if (!word.empty()) seen.rest += '~';
    return;
  }
  std::array<char, kMaxWord> buffer{};
  const std::size_t length = std::min(word.size(), buffer.size());
  for (std::size_t at = 0; at < length; ++at) buffer[at] = to_lower(word[at]);
  const std::string_view lower(buffer.data(), length);
  ++seen.words;
  // DeepSpeed's see_memory_usage: MA = allocated, CA = reserved, in capitals.
  if (word == "MA" || word == "CA") {
    seen.deepspeed_pair = true;
    seen.add(word == "MA" ? Class::Allocated : Class::Reserved);
    seen.rank += 8;
    return;
  }
  const bool may_be_unit = in_brackets || attached;
  const double size = base::bytes_per_unit(lower == "kbytes" ? "kib" : lower);
  // Bare letters ("g", "m", "b") are units only in brackets: columns are named "t" and "m" too.
  if (size > 0 && (lower.size() > 1 || in_brackets) && (may_be_unit || seen.words > 1)) {
    seen.size_scale = size;
    return;
  }
  const double seconds = may_be_unit || seen.words > 1 ? time_unit(lower) : 0.0;
  if (seconds > 0 && (in_brackets || attached)) {
    seen.time_scale = seconds;
    return;
  }
  const Word* known = find_word(lower);
  if (known != nullptr) {
    seen.add(known->is);
    if (known->is == Class::Step) {
      seen.step_rank = std::max(seen.step_rank, known->rank);
    } else {
      seen.rank += known->rank;
    }
    return;
  }
  if (in_brackets) {
    seen.foreign_unit = true;
    return;
  }
  if (!seen.rest.empty()) seen.rest += ' ';
  seen.rest += lower;
}

// Cuts a phrase into words: at anything that is no letter, and where a capital
// follows a small letter ("gpuMemoryMB").
Seen see(std::string_view phrase) {
  Seen seen;
  int brackets = 0;
  std::size_t at = 0;
  while (at < phrase.size()) {
    const char c = phrase[at];
    if (c == '(' || c == '[') ++brackets;
    if (c == ')' || c == ']') brackets = std::max(0, brackets - 1);
    if (c == '%') seen.percent_sign = true;
    if (!is_letter(c)) {
      ++at;
      continue;
    }
    std::size_t end = at + 1;
    while (end < phrase.size() && is_letter(phrase[end])) {
      const bool small_then_capital = phrase[end - 1] >= 'a' && phrase[end] >= 'A' && phrase[end] <= 'Z';
      const bool unit_tail = phrase.substr(at, 3) == "MiB" || phrase.substr(at, 3) == "GiB" ||
                             phrase.substr(at, 3) == "KiB" || phrase.substr(at, 3) == "kiB" ||
                             phrase.substr(at, 2) == "kB";
      if (small_then_capital && !unit_tail) break;
      ++end;
    }
    const bool attached =
        at > 0 && (phrase[at - 1] == '_' || phrase[at - 1] == '.' || phrase[at - 1] == '/' ||
                   (phrase[at - 1] >= 'a' && phrase[at - 1] <= 'z'));
    see_word(phrase.substr(at, end - at), brackets > 0, attached, seen);
    at = end;
  }
  return seen;
}

Quantity quantity_of(const Seen& seen, bool gpu) {
  if (gpu || (seen.has(Class::Allocated) && !seen.has(Class::Resident) && !seen.has(Class::Host)) ||
      (seen.has(Class::Reserved) && !seen.has(Class::Host))) {
    if (seen.has(Class::Reserved)) return Quantity::GpuReserved;
    if (seen.has(Class::Allocated)) return Quantity::GpuAllocated;
    return Quantity::GpuUsed;
  }
  if (seen.has(Class::Container)) return Quantity::ContainerMemory;
  const bool one_process = seen.has(Class::Process) || seen.has(Class::Resident);
  if ((seen.has(Class::System) && !one_process) || (seen.has(Class::Virtual) && seen.has(Class::Used)))
    return Quantity::SystemMemory;
  return Quantity::ProcessMemory;
}

// wandb's system metrics: "system.memory" and "system.gpu.0.memoryAllocated" are percentages, beside
// which "...memoryAllocatedBytes" and "system.proc.memory.rssMB" have units in their names.
bool is_wandb_percent(std::string_view name) {
  const std::size_t at = name.find("system.");
  if (at == std::string_view::npos) return false;
  const std::string_view metric = name.substr(at + 7);
  return metric == "memory" || metric == "memory_percent" ||
         (metric.starts_with("gpu.") &&
          (metric.ends_with(".memory") || metric.ends_with(".memoryAllocated")));
}

}  // namespace

Meaning meaning_of(std::string_view phrase, const Meaning& subject) {
  if (is_wandb_percent(phrase)) {
    Meaning share;
    share.percent = true;
    share.role = Role::Percent;
    return share;
  }
  const Seen seen = see(phrase);
  Meaning meaning;
  meaning.rest = seen.rest;
  meaning.percent = seen.percent_sign || seen.has(Class::Percent);
  meaning.says_host = seen.has(Class::Host) || seen.has(Class::Resident) || seen.has(Class::Process);
  meaning.says_gpu = seen.has(Class::Gpu) || seen.deepspeed_pair;
  meaning.says_used = seen.has(Class::Used) || seen.has(Class::Allocated) || seen.has(Class::Reserved);
  const bool about_gpu = meaning.says_gpu || (subject.says_gpu && !meaning.says_host);
  meaning.says_memory = seen.has(Class::Memory) || seen.has(Class::Resident) || seen.deepspeed_pair ||
                        (seen.has(Class::Gpu) && seen.rank >= 45);
  // "used" alone is memory only if the line or a unit shows it; the caller decides.
  const bool memory = meaning.says_memory ||
                      (subject.says_memory && (meaning.says_used || seen.words == 0)) || meaning.says_used ||
                      seen.has(Class::Peak) || seen.has(Class::Total);
  // psutil's virtual_memory() is the machine's: "CPU Virtual Memory:  used = 322.57 GB".
  const bool machine = seen.has(Class::Virtual) && seen.has(Class::Used);
  meaning.denied = (seen.has(Class::Virtual) && !machine) || seen.has(Class::Deny) || seen.foreign_unit ||
                   seen.has(Class::Duration);
  meaning.rank = seen.rank;
  meaning.quantity = quantity_of(seen, about_gpu);

  if (seen.has(Class::Pid)) {
    meaning.role = Role::Pid;
  } else if (seen.has(Class::Step) && !meaning.says_memory && !seen.has(Class::Time)) {
    if (!meaning.denied && !seen.has(Class::Peak) && !seen.has(Class::Total)) meaning.role = Role::Step;
    meaning.rank = seen.step_rank + seen.rank;
  } else if (seen.has(Class::Epoch) && !meaning.says_memory && !seen.has(Class::Time)) {
    if (!meaning.denied) meaning.role = Role::Epoch;
  } else if (seen.has(Class::Time) && !meaning.says_memory) {
    const bool of_a_part = meaning.denied || seen.has(Class::Step) || seen.has(Class::Epoch) ||
                           seen.has(Class::Used) || seen.has(Class::Host) || seen.has(Class::Gpu);
    if (!of_a_part) meaning.role = Role::Seconds;
    meaning.scale = seen.time_scale;
  } else if (seen.has(Class::Rank)) {
    meaning.role = Role::Rank;
  } else if (seen.has(Class::Gpu) && !meaning.says_memory && !meaning.says_used && !meaning.percent &&
             !meaning.denied && seen.size_scale == 0 && !seen.has(Class::Total) && !seen.has(Class::Peak)) {
    meaning.role = seen.has(Class::Name) ? Role::None : Role::Gpu;
  } else if (seen.has(Class::Index) && !memory) {
    meaning.role = Role::Gpu;
  } else if (seen.has(Class::Name)) {
    meaning.role = Role::Name;
  } else if (memory && !meaning.percent) {
    meaning.scale = seen.size_scale;
    if (meaning.denied) {
      meaning.role = Role::None;
    } else if (seen.has(Class::Peak)) {
      meaning.role = Role::Peak;
    } else if (seen.has(Class::Total) && !seen.has(Class::Used)) {
      meaning.role = Role::Limit;
    } else {
      meaning.role = Role::Memory;
    }
  }
  if (meaning.scale == 0) meaning.scale = seen.size_scale;
  return meaning;
}

Meaning meaning_of(std::string_view phrase) {
  return meaning_of(phrase, Meaning{});
}

int gpu_in_name(std::string_view name) {
  for (const std::string_view word : {"gpu", "cuda"}) {
    std::size_t at = find_ignoring_case(name, word);
    if (at == std::string_view::npos || (at > 0 && is_letter(name[at - 1]))) continue;
    at += word.size();
    if (name.substr(at).starts_with(".process")) at += 8;
    if (at < name.size() && !is_digit(name[at])) ++at;  // "gpu_0", "gpu.0", "cuda:0"
    std::size_t end = at;
    int index = 0;
    while (end < name.size() && is_digit(name[end]) && end - at < 3) index = index * 10 + (name[end++] - '0');
    if (end > at && end - at <= 2 && (end == name.size() || !is_letter(name[end]))) return index;
  }
  return -1;
}

double size_unit(std::string_view word) {
  if (equal_ignoring_case(word, "kbytes")) return 1024.0;
  return base::bytes_per_unit(word);
}

std::string tidy_label(std::string_view phrase) {
  std::string label;
  bool gap = false;
  for (const char c : phrase) {
    const bool keep =
        is_letter(c) || c == '_' || c == '/' || c == '.' || static_cast<unsigned char>(c) >= 0x80;
    if (!keep) {
      gap = true;
      continue;
    }
    if (gap && !label.empty()) label += ' ';
    gap = false;
    label += to_lower(c);
    if (label.size() >= 48) break;
  }
  while (!label.empty() && (label.back() == '.' || label.back() == ' ')) label.pop_back();
  const auto start = label.find_first_not_of(" .");
  return start == std::string::npos ? std::string{} : label.substr(start);
}

bool equal_ignoring_case(std::string_view left, std::string_view right) {
  return left.size() == right.size() && std::equal(left.begin(), left.end(), right.begin(),
                                                   [](char a, char b) { return to_lower(a) == to_lower(b); });
}

std::size_t find_ignoring_case(std::string_view text, std::string_view lower_word) {
  if (text.size() < lower_word.size()) return std::string_view::npos;
  for (std::size_t at = 0; at + lower_word.size() <= text.size(); ++at) {
    if (to_lower(text[at]) == lower_word[0] &&
        equal_ignoring_case(text.substr(at, lower_word.size()), lower_word)) {
      return at;
    }
  }
  return std::string_view::npos;
}

}  // namespace lowtide::ingest

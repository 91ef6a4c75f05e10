#include "ingest/words.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/units.h"
#include "ingest/number.h"

namespace lowtide::ingest {
namespace {

using model::Quantity;

enum class Class : std::uint8_t {
  Memory,    // says memory, nothing more
  Resident,  // memory of a process, and how it is counted
  Used,
  Allocated,
  Reserved,
  Gpu,
  Host,
  Process,
  System,
  Container,
  Total,
  Peak,
  Deny,
  Virtual,
  Percent,
  Duration,  // of a part of the work, not a point in time
  Time,
  Step,
  Epoch,
  Pid,
  Name,
  Index,
  Rank,
  Filler,
};

struct Word {
  std::string_view text;
  Class is;
  int rank = 0;
};

// One line per word. Sorted by what they say, not by letter: it is read by people.
constexpr std::array kWords = {
    Word{"memory", Class::Memory, 40},
    Word{"mem", Class::Memory, 40},
    Word{"ram", Class::Resident, 60},
    Word{"rss", Class::Resident, 90},
    Word{"res", Class::Resident, 90},
    Word{"resident", Class::Resident, 90},
    Word{"real", Class::Resident, 90},
    Word{"uss", Class::Resident, 80},
    Word{"pss", Class::Resident, 85},
    Word{"maxrss", Class::Peak},
    Word{"vram", Class::Gpu, 45},
    Word{"fb", Class::Gpu, 45},
    Word{"used", Class::Used, 10},
    Word{"usage", Class::Used, 10},
    Word{"using", Class::Used, 5},
    Word{"use", Class::Used, 5},
    Word{"consumption", Class::Used, 5},
    Word{"consumed", Class::Used, 5},
    Word{"footprint", Class::Used, 5},
    Word{"occupied", Class::Used, 5},
    Word{"allocated", Class::Allocated, 8},
    Word{"alloc", Class::Allocated, 8},
    Word{"active", Class::Allocated, 2},
    Word{"reserved", Class::Reserved, 8},
    Word{"cached", Class::Reserved, 4},
    Word{"gpu", Class::Gpu, 2},
    Word{"cuda", Class::Gpu, 2},
    Word{"nvidia", Class::Gpu, 2},
    Word{"hpu", Class::Gpu, 2},
    Word{"device", Class::Gpu, 1},
    Word{"host", Class::Host, 20},
    Word{"cpu", Class::Host, 20},
    Word{"process", Class::Process, 100},
    Word{"proc", Class::Process, 100},
    Word{"self", Class::Process, 50},
    Word{"system", Class::System, 10},
    Word{"sys", Class::System, 10},
    Word{"machine", Class::System, 10},
    Word{"node", Class::System, 10},
    Word{"container", Class::Container, 10},
    Word{"cgroup", Class::Container, 10},
    Word{"docker", Class::Container, 10},
    Word{"total", Class::Total},
    Word{"limit", Class::Total},
    Word{"capacity", Class::Total},
    Word{"max", Class::Peak},
    Word{"peak", Class::Peak},
    Word{"maximum", Class::Peak},
    Word{"hwm", Class::Peak},
    Word{"high", Class::Peak},
    Word{"min", Class::Deny},
    Word{"free", Class::Deny},
    Word{"freed", Class::Deny},
    Word{"avail", Class::Deny},
    Word{"available", Class::Deny},
    Word{"swap", Class::Deny},
    Word{"shared", Class::Deny},
    Word{"shr", Class::Deny},
    Word{"buff", Class::Deny},
    Word{"buffers", Class::Deny},
    Word{"cache", Class::Deny},
    Word{"delta", Class::Deny},
    Word{"diff", Class::Deny},
    Word{"change", Class::Deny},
    Word{"growth", Class::Deny},
    Word{"grew", Class::Deny},
    Word{"increase", Class::Deny},
    Word{"increased", Class::Deny},
    Word{"leaked", Class::Deny},
    Word{"bandwidth", Class::Deny},
    Word{"checkpoint", Class::Deny},
    Word{"disk", Class::Deny},
    Word{"file", Class::Deny},
    Word{"download", Class::Deny},
    Word{"downloaded", Class::Deny},
    Word{"clocks", Class::Deny},
    Word{"clock", Class::Deny},
    Word{"temperature", Class::Deny},
    Word{"temp", Class::Deny},
    Word{"power", Class::Deny},
    Word{"tensors", Class::Deny},
    Word{"objects", Class::Deny},
    Word{"params", Class::Deny},
    Word{"parameters", Class::Deny},
    Word{"weights", Class::Deny},
    Word{"needed", Class::Deny},
    Word{"requires", Class::Deny},
    Word{"required", Class::Deny},
    Word{"expected", Class::Deny},
    Word{"estimated", Class::Deny},
    Word{"pinned", Class::Deny},
    Word{"faults", Class::Deny},
    Word{"lost", Class::Deny},
    Word{"saved", Class::Deny},
    Word{"virtual", Class::Virtual},
    Word{"virt", Class::Virtual},
    Word{"vms", Class::Virtual},
    Word{"vsz", Class::Virtual},
    Word{"vss", Class::Virtual},
    Word{"vsize", Class::Virtual},
    Word{"percent", Class::Percent},
    Word{"percentage", Class::Percent},
    Word{"pct", Class::Percent},
    Word{"util", Class::Percent},
    Word{"utilization", Class::Percent},
    Word{"utilisation", Class::Percent},
    Word{"fraction", Class::Percent},
    Word{"ratio", Class::Percent},
    Word{"data", Class::Duration},
    Word{"eta", Class::Duration},
    Word{"per", Class::Duration},
    Word{"forward", Class::Duration},
    Word{"backward", Class::Duration},
    Word{"remaining", Class::Duration},
    Word{"loss", Class::Duration},
    Word{"warmup", Class::Duration},
    Word{"every", Class::Duration},
    Word{"num", Class::Duration},
    Word{"eval", Class::Duration},
    Word{"runtime", Class::Duration},
    Word{"throughput", Class::Duration},
    Word{"lr", Class::Duration},
    Word{"batchsize", Class::Duration},
    Word{"size", Class::Filler},
    Word{"time", Class::Time},
    Word{"timestamp", Class::Time},
    Word{"datetime", Class::Time},
    Word{"date", Class::Time},
    Word{"elapsed", Class::Time, 1},
    Word{"ts", Class::Time},
    Word{"t", Class::Time},
    Word{"wall", Class::Time},
    Word{"walltime", Class::Time},
    Word{"seconds", Class::Time},
    Word{"secs", Class::Time},
    Word{"sec", Class::Time},
    Word{"step", Class::Step, 8},
    Word{"steps", Class::Step, 3},
    Word{"iter", Class::Step, 6},
    Word{"iteration", Class::Step, 6},
    Word{"iterations", Class::Step, 3},
    Word{"iters", Class::Step, 3},
    Word{"it", Class::Step, 2},
    Word{"batch", Class::Step, 2},
    Word{"batches", Class::Step, 2},
    Word{"updates", Class::Step, 3},
    Word{"global", Class::Filler, 1},
    Word{"epoch", Class::Epoch},
    Word{"epochs", Class::Epoch},
    Word{"pid", Class::Pid},
    Word{"tgid", Class::Pid},
    Word{"name", Class::Name},
    Word{"command", Class::Name},
    Word{"cmd", Class::Name},
    Word{"comm", Class::Name},
    Word{"args", Class::Name},
    Word{"names", Class::Name},
    Word{"index", Class::Index},
    Word{"idx", Class::Index},
    Word{"id", Class::Index},
    Word{"uuid", Class::Index},
    Word{"rank", Class::Rank},
    Word{"current", Class::Filler},
    Word{"cur", Class::Filler},
    Word{"currently", Class::Filler},
    Word{"now", Class::Filler},
    Word{"of", Class::Filler},
    Word{"the", Class::Filler},
    Word{"is", Class::Filler},
    Word{"at", Class::Filler},
    Word{"in", Class::Filler},
    Word{"set", Class::Filler},
    Word{"by", Class::Filler},
    Word{"after", Class::Filler},
    Word{"already", Class::Filler},
    Word{"trainer", Class::Filler},
    Word{"train", Class::Filler},
    Word{"main", Class::Filler},
};

struct TimeUnit {
  std::string_view text;
  double seconds;
};
constexpr std::array kTimeUnits = {
    TimeUnit{"s", 1.0},     TimeUnit{"sec", 1.0},  TimeUnit{"secs", 1.0},     TimeUnit{"seconds", 1.0},
    TimeUnit{"ms", 1e-3},   TimeUnit{"us", 1e-6},  TimeUnit{"ns", 1e-9},      TimeUnit{"min", 60.0},
    TimeUnit{"mins", 60.0}, TimeUnit{"h", 3600.0}, TimeUnit{"minutes", 60.0}, TimeUnit{"hours", 3600.0}};

// The words by a small hash: analysis asks for every word of every new shape.
class WordIndex {
 public:
  WordIndex() {
    for (const Word& word : kWords) slots_[free_slot(word.text)] = &word;
  }

  [[nodiscard]] const Word* find(std::string_view lower) const {
    for (std::size_t at = hash(lower);; at = (at + 1) % kSlots) {
      if (slots_[at] == nullptr || slots_[at]->text == lower) return slots_[at];
    }
  }

 private:
  static constexpr std::size_t kSlots = 1024;
  static_assert(kSlots > 4 * kWords.size());

  static std::size_t hash(std::string_view text) {
    std::uint32_t value = static_cast<std::uint32_t>(text.size());
    for (const char c : text) value = value * 31 + static_cast<std::uint8_t>(c);
    return (value ^ (value >> 10U)) % kSlots;
  }

  std::size_t free_slot(std::string_view text) const {
    std::size_t at = hash(text);
    while (slots_[at] != nullptr) at = (at + 1) % kSlots;
    return at;
  }

  std::array<const Word*, kSlots> slots_{};
};

const Word* find_word(std::string_view lower) {
  static const WordIndex kIndex;
  return kIndex.find(lower);
}

double time_unit(std::string_view lower) {
  for (const TimeUnit& unit : kTimeUnits) {
    if (unit.text == lower) return unit.seconds;
  }
  return 0;
}

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

}  // namespace

Meaning meaning_of(std::string_view phrase, const Meaning& subject) {
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
  // "used" alone is memory only where the line or a unit says so; the caller decides.
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

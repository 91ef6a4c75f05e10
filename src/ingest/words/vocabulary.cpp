#include "ingest/words/vocabulary.h"

#include <array>
#include <cstddef>

namespace lowtide::ingest {
namespace {

using Class = WordClass;

// One line per word. Sorted by what they say, not by letter: it is read by people.
constexpr std::array kVocabulary = {
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
    for (const Word& word : kVocabulary) slots_[free_slot(word.text)] = &word;
  }

  [[nodiscard]] const Word* find(std::string_view lower) const {
    for (std::size_t at = hash(lower);; at = (at + 1) % kSlots) {
      if (slots_[at] == nullptr || slots_[at]->text == lower) return slots_[at];
    }
  }

 private:
  static constexpr std::size_t kSlots = 1024;
  static_assert(kSlots > 4 * kVocabulary.size());

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

}  // namespace

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

}  // namespace lowtide::ingest

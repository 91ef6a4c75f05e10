#include "ingest/triage.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "ingest/number.h"
#include "ingest/words.h"

namespace lowtide::ingest {
namespace {

// Shorter lines are cheap to analyse, and have forms of their own (a number, a date).
constexpr std::size_t kShort = 40;

enum class Needs : std::uint8_t {
  Nothing,       // the word alone is enough
  WordStart,     // no letter before it
  Word,          // no letter on either side
  NumberSoon,    // a digit within a few bytes after it
  NumberBefore,  // a digit before it, perhaps with a blank between
  Event,
  EventWord,
};

struct Key {
  std::string_view word;  // lower case
  Needs needs;
};

constexpr std::array kKeys = {
    Key{"mem", Needs::Nothing},
    Key{"ram", Needs::WordStart},
    Key{"rss", Needs::Nothing},
    Key{"res", Needs::Word},
    Key{"uss", Needs::Word},
    Key{"pss", Needs::Word},
    Key{"resident", Needs::Nothing},
    Key{"alloc", Needs::Nothing},
    Key{"reserved", Needs::Nothing},
    Key{"used", Needs::NumberSoon},
    Key{"usage", Needs::NumberSoon},
    Key{"real (", Needs::Nothing},
    Key{"vram", Needs::Nothing},
    Key{"gpu", Needs::NumberSoon},
    Key{"fb ", Needs::Nothing},
    Key{"mb", Needs::NumberBefore},
    Key{"gb", Needs::NumberBefore},
    Key{"kb", Needs::NumberBefore},
    Key{"tb", Needs::NumberBefore},
    Key{"mib", Needs::NumberBefore},
    Key{"gib", Needs::NumberBefore},
    Key{"kib", Needs::NumberBefore},
    Key{"tib", Needs::NumberBefore},
    Key{"bytes", Needs::NumberBefore},
    Key{"step", Needs::NumberSoon},
    Key{"iter", Needs::NumberSoon},
    Key{"batch", Needs::NumberSoon},
    Key{"batches", Needs::NumberBefore},
    Key{"epoch", Needs::NumberSoon},
    Key{"updates", Needs::NumberSoon},
    Key{"pid", Needs::NumberSoon},
    Key{"process", Needs::NumberSoon},
    Key{"rank", Needs::NumberSoon},
    Key{"run ", Needs::NumberSoon},
    Key{"every ", Needs::NumberSoon},
    Key{"top - ", Needs::Nothing},
    Key{"free -", Needs::Nothing},
    Key{"buffers", Needs::Nothing},
    Key{"cmdline", Needs::Nothing},
    Key{"it/s", Needs::Nothing},
    Key{"s/it", Needs::Nothing},
    Key{"chld ", Needs::NumberSoon},
    Key{"kill", Needs::Event},
    Key{"out of memory", Needs::Event},
    Key{"out-of-memory", Needs::Event},
    Key{"oom", Needs::EventWord},
    Key{"earlyoom", Needs::Event},
    Key{"exited unexpectedly", Needs::Event},
    Key{"bus error", Needs::Event},
    Key{"can't allocate", Needs::Event},
    Key{"cannot allocate", Needs::Event},
    Key{"not enough memory", Needs::Event},
    Key{"unable to allocate", Needs::Event},
    Key{"posix_memalign", Needs::Event},
    Key{"exitcode", Needs::Event},
    Key{"exit code", Needs::Event},
    Key{"terminated with code", Needs::Event},
    Key{"restarted", Needs::Event},
    Key{"ancdata", Needs::Event},
    Key{"too many open", Needs::Event},
    Key{"low on resource", Needs::Event},
};
static_assert(kKeys.size() <= 64);

constexpr std::uint32_t pair_number(char first, char second) {
  return (static_cast<std::uint32_t>(static_cast<unsigned char>(first) | 0x20U) & 0x7FU) << 7U |
         (static_cast<std::uint32_t>(static_cast<unsigned char>(second) | 0x20U) & 0x7FU);
}

// For each pair of letters the keys that begin with it.
const std::array<std::uint64_t, 128 * 128>& pairs() {
  static const auto table = [] {
    std::array<std::uint64_t, 128 * 128> made{};
    for (std::size_t i = 0; i < kKeys.size(); ++i) {
      made[pair_number(kKeys[i].word[0], kKeys[i].word[1])] |= std::uint64_t{1} << i;
    }
    return made;
  }();
  return table;
}

bool holds(const Key& key, std::string_view shape, std::size_t at) {
  const std::size_t end = at + key.word.size();
  if (end > shape.size() || !equal_ignoring_case(shape.substr(at, key.word.size()), key.word)) return false;
  const char before = at > 0 ? shape[at - 1] : ' ';
  const char after = end < shape.size() ? shape[end] : ' ';
  switch (key.needs) {
    case Needs::Nothing:
    case Needs::Event:
      return true;
    case Needs::WordStart:
    case Needs::EventWord:
      return !is_letter(before);
    case Needs::Word:
      return !is_letter(before) && !(after >= 'a' && after <= 'z');
    case Needs::NumberSoon: {
      const std::string_view next = shape.substr(end, 24);
      return std::any_of(next.begin(), next.end(), is_digit);
    }
    case Needs::NumberBefore:
      return is_digit(before) || (at > 1 && (before == ' ' || before == '(') &&
                                  (is_digit(shape[at - 2]) || (at > 2 && is_digit(shape[at - 3]))));
  }
  return false;
}

}  // namespace

Triage triage(std::string_view shape) {
  const std::array<std::uint64_t, 128 * 128>& table = pairs();
  bool matters = shape.size() <= kShort;
  const std::size_t first = shape.find_first_not_of(" \t");
  if (first != std::string_view::npos) {
    const char c = shape[first];
    matters = matters || c == '{' || c == '}' || c == '"' || c == '[' || c == '|' || c == '#';
  }
  for (std::size_t at = 0; at + 1 < shape.size(); ++at) {
    std::uint64_t keys = table[pair_number(shape[at], shape[at + 1])];
    while (keys != 0) {
      const auto number = static_cast<std::size_t>(__builtin_ctzll(keys));
      keys &= keys - 1;
      const Key& key = kKeys[number];
      if (!holds(key, shape, at)) continue;
      if (key.needs == Needs::Event || key.needs == Needs::EventWord) return Triage::MayBeEvent;
      matters = true;
    }
  }
  return matters ? Triage::Matters : Triage::Nothing;
}

}  // namespace lowtide::ingest

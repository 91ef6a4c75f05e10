#include "ingest/words/triage.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "ingest/words/number.h"
#include "ingest/words/words.h"

namespace lowtide::ingest {
namespace {

// Shorter lines are cheap to analyse, and have forms of their own (a number, a date).
constexpr std::size_t kShort = 40;

enum class Needs : std::uint8_t {
  Nothing,       // the word alone is enough
  WordStart,     // no letter before it
  Word,          // no letter on either side
  Progress,      // begins a word, a digit within a few bytes after it: a step and nothing else
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
    Key{"step", Needs::Progress},
    Key{"iter", Needs::Progress},
    Key{"batch", Needs::Progress},
    Key{"batches", Needs::NumberBefore},
    Key{"epoch", Needs::Progress},
    Key{"updates", Needs::Progress},
    Key{"pid", Needs::NumberSoon},
    Key{"process", Needs::NumberSoon},
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

// Bit i of starts[place][byte]: the byte may be at this place of key i. Three look-ups leave few keys to
// compare.
using Starts = std::array<std::array<std::uint64_t, 256>, 3>;

constexpr Starts make_starts() {
  Starts starts{};
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    const std::string_view word = kKeys[i].word;
    const std::uint64_t bit = std::uint64_t{1} << i;
    for (std::size_t place = 0; place < starts.size(); ++place) {
      if (place >= word.size()) {  // any byte may follow
        for (std::uint64_t& keys : starts[place]) keys |= bit;
        continue;
      }
      const auto byte = static_cast<std::uint8_t>(word[place]);
      starts[place][byte] |= bit;
      if (is_letter(word[place])) starts[place][byte & 0xDFU] |= bit;  // the capital
    }
  }
  return starts;
}

constexpr Starts kStarts = make_starts();

std::uint64_t keys_at(std::string_view shape, std::size_t at) {
  std::uint64_t keys = ~std::uint64_t{0};
  for (std::size_t place = 0; place < kStarts.size(); ++place) {
    const char c = at + place < shape.size() ? shape[at + place] : ' ';
    keys &= kStarts[place][static_cast<std::uint8_t>(c)];
  }
  return keys;
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
    case Needs::Progress:
      // A word of its own, as words.cpp cuts them ("global_step", "trainStep"): "writer" is no "iter".
      if (is_letter(before) && !(before >= 'a' && shape[at] <= 'Z')) return false;
      [[fallthrough]];
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

bool begins_like_a_format(std::string_view shape) {
  const std::size_t first = shape.find_first_not_of(" \t");
  if (first == std::string_view::npos) return false;
  const char c = shape[first];
  const char next = first + 1 < shape.size() ? shape[first + 1] : '{';
  return c == '{' || c == '}' || c == '"' || c == '|' || c == '#' ||
         (c == '[' && (next == '{' || next == '"' || next == ' '));
}

// "00:43:34  0  2503 ..." of pidstat, "root  4711  99.9 ..." of ps: a row of numbers without a keyword.
bool begins_like_a_row(std::string_view shape) {
  const auto blanks = [&](std::size_t at) {
    while (at < shape.size() && is_blank(shape[at])) ++at;
    return at;
  };
  const auto word = [&](std::size_t at) {
    while (at < shape.size() && !is_blank(shape[at])) ++at;
    return at;
  };
  std::size_t at = blanks(word(blanks(0)));
  if (at + 3 < shape.size() && shape[at + 1] == 'M' && is_blank(shape[at + 2]))
    at = blanks(at + 2);  // AM, PM
  for (int number = 0; number < 2; ++number) {
    const std::size_t begin = at;
    for (; at < shape.size() && !is_blank(shape[at]); ++at) {
      if (!is_digit(shape[at]) && shape[at] != '.') return false;
    }
    if (at == begin || at == shape.size()) return false;
    at = blanks(at);
  }
  return true;
}

}  // namespace

Triage triage(std::string_view shape) {
  bool matters = shape.size() <= kShort || begins_like_a_format(shape);
  bool progress = false;
  for (std::size_t at = 0; at < shape.size(); ++at) {
    for (std::uint64_t keys = keys_at(shape, at); keys != 0; keys &= keys - 1) {
      const Key& key = kKeys[static_cast<std::size_t>(std::countr_zero(keys))];
      if (!holds(key, shape, at)) continue;
      if (key.needs == Needs::Event || key.needs == Needs::EventWord) return Triage::MayBeEvent;
      (key.needs == Needs::Progress ? progress : matters) = true;
    }
  }
  if (matters || begins_like_a_row(shape)) return Triage::Matters;
  if (!progress) return Triage::Nothing;
  return shape.find('{') == std::string_view::npos ? Triage::Progress : Triage::Matters;
}

}  // namespace lowtide::ingest

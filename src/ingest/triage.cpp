#include "ingest/triage.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "ingest/number.h"
#include "ingest/words.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace lowtide::ingest {
namespace {

// Shorter lines are cheap to analyse, and have forms of their own (a number, a date).
constexpr std::size_t kShort = 40;

enum class Needs : std::uint8_t {
  Nothing,       // the word alone is enough
  WordStart,     // no letter before it
  Word,          // no letter on either side
  Progress,      // a digit within a few bytes after it, and then it is a step and nothing else
  NumberSoon,    // a digit within a few bytes after it
  NumberBefore,  // a digit before it, perhaps with a blank between
  Event,
  EventWord,
};

struct Key {
  std::string_view word;  // lower case
  Needs needs;
  std::uint8_t anchor = 0;  // of the three letters in it that are searched for: rare ones
};

constexpr std::array kKeys = {
    Key{"mem", Needs::Nothing},
    Key{"ram", Needs::WordStart},
    Key{"rss", Needs::Nothing},
    Key{"res", Needs::Word},
    Key{"uss", Needs::Word},
    Key{"pss", Needs::Word},
    Key{"resident", Needs::Nothing, 2},
    Key{"alloc", Needs::Nothing, 1},
    Key{"reserved", Needs::Nothing, 4},
    Key{"used", Needs::NumberSoon, 1},
    Key{"usage", Needs::NumberSoon, 1},
    Key{"real (", Needs::Nothing, 3},
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
    Key{"bytes", Needs::NumberBefore, 1},
    Key{"step", Needs::Progress, 1},
    Key{"iter", Needs::Progress, 0},
    Key{"batch", Needs::Progress, 1},
    Key{"batches", Needs::NumberBefore, 1},
    Key{"epoch", Needs::Progress, 1},
    Key{"updates", Needs::Progress, 1},
    Key{"pid", Needs::NumberSoon},
    Key{"process", Needs::NumberSoon, 2},
    Key{"run ", Needs::NumberSoon},
    Key{"every ", Needs::NumberSoon, 1},
    Key{"top - ", Needs::Nothing},
    Key{"free -", Needs::Nothing},
    Key{"buffers", Needs::Nothing, 1},
    Key{"cmdline", Needs::Nothing, 1},
    Key{"it/s", Needs::Nothing},
    Key{"s/it", Needs::Nothing},
    Key{"chld ", Needs::NumberSoon},
    Key{"kill", Needs::Event},
    Key{"out of memory", Needs::Event, 5},
    Key{"out-of-memory", Needs::Event, 5},
    Key{"oom", Needs::EventWord},
    Key{"earlyoom", Needs::Event},
    Key{"exited unexpectedly", Needs::Event, 5},
    Key{"bus error", Needs::Event},
    Key{"can't allocate", Needs::Event, 2},
    Key{"cannot allocate", Needs::Event, 2},
    Key{"not enough memory", Needs::Event, 9},
    Key{"unable to allocate", Needs::Event},
    Key{"posix_memalign", Needs::Event, 4},
    Key{"exitcode", Needs::Event, 1},
    Key{"exit code", Needs::Event, 1},
    Key{"terminated with code", Needs::Event, 9},
    Key{"restarted", Needs::Event, 3},
    Key{"ancdata", Needs::Event},
    Key{"too many open", Needs::Event, 2},
    Key{"low on resource", Needs::Event, 2},
};
static_assert(kKeys.size() <= 64);

constexpr std::size_t kAnchor = 3;
constexpr std::size_t kBlock = 16;

constexpr std::uint8_t fold(char c) {
  return static_cast<std::uint8_t>(static_cast<std::uint8_t>(c) | 0x20U);
}

// The third byte of a key of two letters may be any.
constexpr bool fits(const Key& key, std::size_t place, std::uint8_t folded) {
  const std::size_t at = key.anchor + place;
  return at >= key.word.size() || fold(key.word[at]) == folded;
}

// Keys are kept in eight groups, one bit each. A byte can be the first (second, third) of an anchor of
// a group when both its halves can: sixteen bytes are asked with two table look-ups.
struct Groups {
  using Nibbles = std::array<std::uint8_t, 16>;
  std::array<Nibbles, kAnchor> low{};
  std::array<Nibbles, kAnchor> high{};
  std::array<std::uint64_t, 8> keys{};                        // of each group, as bits
  std::array<std::array<std::uint8_t, 256>, kAnchor> byte{};  // the same for one byte, folded
};

constexpr std::size_t group_of(const Key& key) {
  if (key.word.size() == 2) return 0;
  // Those with the same first letter together: few bytes then pass the first table.
  return 1 + (fold(key.word[key.anchor]) & 15U) * 7U / 16U;
}

constexpr Groups make_groups() {
  Groups groups;
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    const Key& key = kKeys[i];
    const std::size_t group = group_of(key);
    const auto bit = static_cast<std::uint8_t>(1U << group);
    groups.keys[group] |= std::uint64_t{1} << i;
    for (std::size_t place = 0; place < kAnchor; ++place) {
      for (std::size_t byte = 0; byte < 256; ++byte) {
        if (!fits(key, place, fold(static_cast<char>(byte)))) continue;
        const std::size_t folded = byte | 0x20U;
        groups.low[place][folded & 15U] |= bit;
        groups.high[place][folded >> 4U] |= bit;
      }
    }
  }
  for (std::size_t place = 0; place < kAnchor; ++place) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      groups.byte[place][byte] =
          groups.low[place][(byte | 0x20U) & 15U] & groups.high[place][(byte | 0x20U) >> 4U];
    }
  }
  return groups;
}

constexpr Groups kGroups = make_groups();

// Three bytes by the lower five bits of each: enough to tell letters apart.
constexpr std::size_t triple_of(const char* at) {
  return (static_cast<std::size_t>(at[0]) & 31U) << 10U | (static_cast<std::size_t>(at[1]) & 31U) << 5U |
         (static_cast<std::size_t>(at[2]) & 31U);
}

constexpr std::size_t kTriples = std::size_t{1} << 15U;

// The triples that are the anchor of some key.
const std::array<bool, kTriples>& triples() {
  static const auto kTable = [] {
    std::array<bool, kTriples> made{};
    for (const Key& key : kKeys) {
      std::array<char, kAnchor> bytes{};
      for (std::size_t i = 0; i < kAnchor; ++i) {
        bytes[i] = key.anchor + i < key.word.size() ? key.word[key.anchor + i] : '\0';
      }
      const bool open = key.anchor + kAnchor > key.word.size();
      for (std::size_t last = 0; last < (open ? 32U : 1U); ++last)
        made[triple_of(bytes.data()) + last] = true;
    }
    return made;
  }();
  return kTable;
}

// The groups that may have an anchor at `at`; three bytes must be there.
std::uint8_t groups_at(const char* at) {
  return static_cast<std::uint8_t>(kGroups.byte[0][static_cast<std::uint8_t>(at[0])] &
                                   kGroups.byte[1][static_cast<std::uint8_t>(at[1])] &
                                   kGroups.byte[2][static_cast<std::uint8_t>(at[2])]);
}

// Which of the sixteen places from `at` may have an anchor, as bits; kBlock + 2 bytes must be there.
std::uint32_t places_one_by_one(const char* at) {
  std::uint32_t places = 0;
  for (std::size_t i = 0; i < kBlock; ++i) places |= (groups_at(at + i) != 0 ? 1U : 0U) << i;
  return places;
}

#if defined(__x86_64__)

[[gnu::target("ssse3"), gnu::always_inline]] inline __m128i groups_of(const char* at, std::size_t place) {
  const __m128i bytes =
      _mm_or_si128(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at + place)), _mm_set1_epi8(0x20));
  const __m128i nibble = _mm_set1_epi8(15);
  const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(kGroups.low[place].data()));
  const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(kGroups.high[place].data()));
  return _mm_and_si128(_mm_shuffle_epi8(low, _mm_and_si128(bytes, nibble)),
                       _mm_shuffle_epi8(high, _mm_and_si128(_mm_srli_epi16(bytes, 4), nibble)));
}

[[gnu::target("ssse3")]] std::uint32_t places_at_once(const char* at) {
  const __m128i groups = _mm_and_si128(_mm_and_si128(groups_of(at, 0), groups_of(at, 1)), groups_of(at, 2));
  const int none = _mm_movemask_epi8(_mm_cmpeq_epi8(groups, _mm_setzero_si128()));
  return ~static_cast<std::uint32_t>(none) & 0xFFFFU;
}

bool can_at_once() {
  static const bool kCan = __builtin_cpu_supports("ssse3") != 0;
  return kCan;
}

#elif defined(__aarch64__)

uint8x16_t groups_of(const char* at, std::size_t place) {
  const uint8x16_t bytes =
      vorrq_u8(vld1q_u8(reinterpret_cast<const std::uint8_t*>(at + place)), vdupq_n_u8(0x20));
  return vandq_u8(vqtbl1q_u8(vld1q_u8(kGroups.low[place].data()), vandq_u8(bytes, vdupq_n_u8(15))),
                  vqtbl1q_u8(vld1q_u8(kGroups.high[place].data()), vshrq_n_u8(bytes, 4)));
}

std::uint32_t places_at_once(const char* at) {
  const uint8x16_t groups = vandq_u8(vandq_u8(groups_of(at, 0), groups_of(at, 1)), groups_of(at, 2));
  if (vmaxvq_u8(groups) == 0) return 0;
  return places_one_by_one(at);
}

bool can_at_once() {
  return true;
}

#else

std::uint32_t places_at_once(const char* at) {
  return places_one_by_one(at);
}
bool can_at_once() {
  return false;
}

#endif

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

class Search {
 public:
  explicit Search(std::string_view shape) : shape_(shape), triples_(triples().data()) {}

  // Looks at the places of a block; true = an event, nothing more to find.
  bool look(std::size_t begin, std::uint32_t places) {
    for (; places != 0; places &= places - 1) {
      if (look_at(begin + static_cast<std::size_t>(__builtin_ctz(places)))) return true;
    }
    return false;
  }

  bool look_at(std::size_t at) {
    std::array<char, kAnchor> bytes = {' ', ' ', ' '};  // of a key of two letters at the very end
    std::memcpy(bytes.data(), shape_.data() + at, std::min(kAnchor, shape_.size() - at));
    if (!triples_[triple_of(bytes.data())]) return false;
    std::uint8_t groups = groups_at(bytes.data());
    for (; groups != 0; groups = static_cast<std::uint8_t>(groups & (groups - 1))) {
      std::uint64_t keys = kGroups.keys[static_cast<std::size_t>(__builtin_ctz(groups))];
      for (; keys != 0; keys &= keys - 1) {
        const Key& key = kKeys[static_cast<std::size_t>(__builtin_ctzll(keys))];
        if (at < key.anchor || fold(key.word[key.anchor]) != fold(bytes[0])) continue;
        if (!holds(key, shape_, at - key.anchor)) continue;
        if (key.needs == Needs::Event || key.needs == Needs::EventWord) return true;
        if (key.needs == Needs::Progress) {
          progress = true;
        } else {
          matters = true;
        }
      }
    }
    return false;
  }

  bool matters = false;
  bool progress = false;

 private:
  std::string_view shape_;
  const bool* triples_;
};

// "00:43:34  0  2503 ..." of pidstat, "root  4711  99.9 ..." of ps: a row of numbers that no word tells.
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
    const std::size_t end = word(at);
    if (end == at || end == shape.size()) return false;
    for (; at < end; ++at) {
      if (!is_digit(shape[at]) && shape[at] != '.') return false;
    }
    at = blanks(end);
  }
  return true;
}

Triage triage_with(std::string_view shape, std::uint32_t (*places)(const char*)) {
  Search search(shape);
  search.matters = shape.size() <= kShort;
  const std::size_t first = shape.find_first_not_of(" \t");
  if (first != std::string_view::npos) {
    const char c = shape[first];
    const char next = first + 1 < shape.size() ? shape[first + 1] : '{';
    search.matters = search.matters || c == '{' || c == '}' || c == '"' || c == '|' || c == '#' ||
                     (c == '[' && (next == '{' || next == '"' || next == ' '));
  }
  std::size_t at = 0;
  for (; at + kBlock + kAnchor - 1 <= shape.size(); at += kBlock) {
    if (search.look(at, places(shape.data() + at))) return Triage::MayBeEvent;
  }
  if (at > 0) {  // the rest with a block that reaches back: what was looked at is left out
    const std::size_t last = shape.size() - kBlock - kAnchor + 1;
    if (search.look(last, places(shape.data() + last) & (0xFFFFU << (at - last)))) return Triage::MayBeEvent;
    at = std::max(at, last + kBlock);
  }
  for (; at + 1 < shape.size(); ++at) {
    if (search.look_at(at)) return Triage::MayBeEvent;
  }
  if (search.matters || begins_like_a_row(shape)) return Triage::Matters;
  if (!search.progress) return Triage::Nothing;
  return shape.find('{') == std::string_view::npos ? Triage::Progress : Triage::Matters;
}

}  // namespace

Triage triage(std::string_view shape) {
  return can_at_once() ? triage_with(shape, &places_at_once) : triage_with(shape, &places_one_by_one);
}

Triage triage_one_by_one(std::string_view shape) {
  return triage_with(shape, &places_one_by_one);
}

}  // namespace lowtide::ingest

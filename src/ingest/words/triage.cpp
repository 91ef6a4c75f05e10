#include "ingest/words/triage.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

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

// A unit is searched for with the byte before it, which must be a digit, a blank or '('.
constexpr bool has_lead(const Key& key) {
  return key.needs == Needs::NumberBefore;
}

constexpr std::string_view kLeads = "0123456789 (";

// Which byte of the word lies at `place` of the four that are searched for; npos = a lead, or any byte.
constexpr std::size_t letter_at(const Key& key, std::size_t place) {
  if (has_lead(key) && place == 0) return std::string_view::npos;
  const std::size_t at = has_lead(key) ? place - 1 : key.anchor + place;
  return at < key.word.size() ? at : std::string_view::npos;
}

// Only the last byte of a mark may be any: place_finder.cpp counts on it.
static_assert(std::all_of(kKeys.begin(), kKeys.end(), [](const Key& key) {
  return (has_lead(key) || letter_at(key, 0) != std::string_view::npos) &&
         letter_at(key, 1) != std::string_view::npos && letter_at(key, 2) != std::string_view::npos;
}));

struct Anchors {
  PlaceTables tables;
  // The keys that have this byte at this place of their mark, as bits: four look-ups tell exactly which
  // marks begin somewhere.
  std::array<std::array<std::uint64_t, 256>, kPlaces> keys{};
};

// Keys that begin alike share a group: few bytes then pass its first table. Units have two of their own.
constexpr std::array<std::size_t, kKeys.size()> group_numbers() {
  std::array<std::size_t, kKeys.size()> order{};
  std::size_t count = 0;
  std::array<std::size_t, kKeys.size()> group{};
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    if (has_lead(kKeys[i])) {
      group[i] = kKeys[i].word.size() == 2 ? 0 : 1;
    } else {
      order[count++] = i;
    }
  }
  std::sort(order.begin(), order.begin() + count, [](std::size_t a, std::size_t b) {
    return kKeys[a].word.substr(kKeys[a].anchor, kPlaces) < kKeys[b].word.substr(kKeys[b].anchor, kPlaces);
  });
  for (std::size_t i = 0; i < count; ++i) group[order[i]] = 2 + i * (kGroups - 2) / count;
  return group;
}

constexpr void allow(Anchors& anchors, std::size_t key, std::size_t place, std::size_t byte,
                     std::uint16_t group) {
  anchors.tables.allow(place, byte, group);
  anchors.keys[place][byte] |= std::uint64_t{1} << key;
}

constexpr Anchors make_anchors() {
  Anchors anchors;
  constexpr auto kGroupOf = group_numbers();
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    const auto group = static_cast<std::uint16_t>(1U << kGroupOf[i]);
    for (std::size_t place = 0; place < kPlaces; ++place) {
      const std::size_t at = letter_at(kKeys[i], place);
      if (at != std::string_view::npos) {
        const char c = kKeys[i].word[at];
        allow(anchors, i, place, static_cast<std::uint8_t>(c), group);
        if (is_letter(c)) allow(anchors, i, place, static_cast<std::uint8_t>(c) & 0xDFU, group);
      } else if (place == 0) {
        for (const char c : kLeads) allow(anchors, i, place, static_cast<std::uint8_t>(c), group);
      } else {
        for (std::size_t byte = 0; byte < 256; ++byte) allow(anchors, i, place, byte, group);
      }
    }
  }
  return anchors;
}

constexpr Anchors kAnchors = make_anchors();

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

class Search {
 public:
  explicit Search(std::string_view shape)
      : matters(shape.size() <= kShort || begins_like_a_format(shape)), shape_(shape) {}

  // Looks at the places of the block that begins at `begin`, and stands at `text`, where three more
  // bytes can be read; true = an event, nothing more to find.
  bool look(std::size_t begin, std::uint32_t places, const char* text) {
    for (; places != 0; places &= places - 1) {
      const auto at = static_cast<std::size_t>(__builtin_ctz(places));
      std::uint64_t keys = kAnchors.keys[0][static_cast<std::uint8_t>(text[at])];
      for (std::size_t place = 1; place < kPlaces; ++place) {
        keys &= kAnchors.keys[place][static_cast<std::uint8_t>(text[at + place])];
      }
      for (; keys != 0; keys &= keys - 1) {
        if (take(kKeys[static_cast<std::size_t>(__builtin_ctzll(keys))], begin + at)) return true;
      }
    }
    return false;
  }

  bool matters;
  bool progress = false;

 private:
  bool take(const Key& key, std::size_t at) {
    if (!has_lead(key) && at < key.anchor) return false;
    if (!holds(key, shape_, has_lead(key) ? at + 1 : at - key.anchor)) return false;
    if (key.needs == Needs::Event || key.needs == Needs::EventWord) return true;
    if (key.needs == Needs::Progress) {
      progress = true;
    } else {
      matters = true;
    }
    return false;
  }

  std::string_view shape_;
};

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

Triage judge(const Search& search, std::string_view shape) {
  if (search.matters || begins_like_a_row(shape)) return Triage::Matters;
  if (!search.progress) return Triage::Nothing;
  return shape.find('{') == std::string_view::npos ? Triage::Progress : Triage::Matters;
}

Triage triage_with(std::string_view shape, std::uint32_t (*places_at)(const PlaceTables&, const char*)) {
  Search search(shape);
  for (std::size_t at = 0; at < shape.size(); at += kBlock) {
    const std::size_t left = shape.size() - at;
    std::array<char, kBlock + kPlaces> copy{};  // of the last block, which would reach beyond the text
    const char* text = shape.data() + at;
    if (left < copy.size()) text = std::copy_n(text, left, copy.begin()) - left;
    std::uint32_t places = places_at(kAnchors.tables, text);
    if (left < kBlock) places &= (1U << left) - 1U;
    if (search.look(at, places, text)) return Triage::MayBeEvent;
  }
  return judge(search, shape);
}

}  // namespace

Triage triage(std::string_view shape) {
  return triage_with(shape, &find_places);
}

Triage triage_one_by_one(std::string_view shape) {
  return triage_with(shape, &find_places_one_by_one);
}

Triage triage(std::string_view line, const LineScan& scan) {
  Search search(line);
  for (std::size_t at = 0; at < line.size(); at += kBlock) {
    if (search.look(at, scan.places[at / kBlock], line.data() + at)) return Triage::MayBeEvent;
  }
  return judge(search, line);
}

void scan_line(const char* text, std::size_t length, LineScan& scan) {
  scan_places(kAnchors.tables, text, length, scan);
}

}  // namespace lowtide::ingest

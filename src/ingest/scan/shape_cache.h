// Shapes: why a gigabyte of log takes well under a second.
//
// A log is a handful of print statements executed millions of times. The shape
// of a line is the line with every digit replaced by '0'; analysis (words,
// units, columns: a microsecond or more) looks at the shape only, so its plan
// serves all lines of that shape. Shapes are matched without finding the end of
// the line first: byte by byte equal, or a digit where the shape has '0', and a
// line end where the shape ends. 16 bytes take one xor and one comparison.
//
// Lines follow each other in patterns, so each shape remembers the two shapes
// that came after it last; only when both fail is the end of the line searched
// for, and its shape guessed by a few of its bytes (ShapeGuesses), at last looked up by a
// hash of all of it. The tables are bounded: a log of ever new shapes replaces old ones.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "ingest/formats/shape_plan.h"

namespace lowtide::ingest {

// Bytes that must be readable behind the end of any text that is matched.
inline constexpr std::size_t kSlack = 64;

// Longer lines are analysed each time.
inline constexpr std::size_t kMaxShape = 1024;

struct ShapeEntry {
  std::vector<std::uint8_t> bytes;   // the shape, padded to a multiple of 16
  std::vector<std::uint8_t> spread;  // 9 where the shape has a digit, 0 elsewhere, 255 in the padding
  std::size_t length = 0;
  std::uint64_t hash = 0;
  std::uint16_t context = 0;
  std::unique_ptr<const ShapePlan> plan;
  std::array<ShapeEntry*, 2> followers = {nullptr, nullptr};
};

// Writes the shape of `text` to `into`, which has room for it.
void write_shape(std::string_view text, char* into);

// True when the line at `text` has this shape and ends where the shape ends.
// At least entry.length + kSlack bytes must be readable.
bool matches(const ShapeEntry& entry, const char* text);

// A shape in a context, with their hash. Refers to the shape.
struct ShapeKey {
  ShapeKey(std::string_view its_shape, std::uint16_t its_context);

  std::string_view shape;
  std::uint16_t context;
  std::uint64_t hash;
};

class ShapeCache {
 public:
  ShapeCache();

  // The entry for a shape in a context, or null.
  ShapeEntry* find(const ShapeKey& key);

  // Was this asked before, not too long ago? A shape that comes once need not be kept.
  bool met_before(const ShapeKey& key);

  // Adds a shape that is not there; may replace another.
  ShapeEntry* add(const ShapeKey& key, ShapePlan plan);

 private:
  static constexpr std::size_t kSets = 1024;
  static constexpr std::size_t kWays = 4;

  static constexpr std::size_t kMet = 4096;

  std::vector<std::array<std::unique_ptr<ShapeEntry>, kWays>> sets_;
  std::vector<std::uint8_t> next_;  // the way of each set that is replaced next
  std::vector<std::uint64_t> met_;
};

// Which shape may a line have whose first, middle and last bytes look like this? A guess saves the hash of
// the whole line; matches() checks whether it was right.
class ShapeGuesses {
 public:
  static constexpr std::size_t kLeast = 16;  // bytes of a line: shorter ones are not guessed

  struct Guess {
    std::uint64_t hash = 0;
    ShapeEntry* entry = nullptr;  // null = met once
    std::uint8_t misses = 0;      // lines that looked alike and had another shape
  };

  ShapeGuesses() : guesses_(kGuesses) {}

  static std::uint64_t hash_of(std::string_view line, std::uint16_t context);
  Guess& at(std::uint64_t hash) { return guesses_[(hash >> 40U) % kGuesses]; }

 private:
  static constexpr std::size_t kGuesses = 1024;  // what fits beside the text in the first-level cache

  std::vector<Guess> guesses_;
};

}  // namespace lowtide::ingest

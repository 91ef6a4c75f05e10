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
// that came after it last; only when both fail is the line hashed and looked
// up. The table is bounded: a log of ever new shapes replaces old ones.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/plan.h"

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
  std::unique_ptr<const Plan> plan;
  std::array<ShapeEntry*, 2> followers = {nullptr, nullptr};
};

// Writes the shape of `text` to `into`, which has room for it.
void write_shape(std::string_view text, char* into);

// True when the line at `text` has this shape and ends where the shape ends.
// At least entry.length + kSlack bytes must be readable.
bool matches(const ShapeEntry& entry, const char* text);

class ShapeCache {
 public:
  ShapeCache();

  // The entry for a shape in a context, or null.
  ShapeEntry* find(std::string_view shape, std::uint16_t context);

  // Was this asked before, not too long ago? A shape that comes once need not be kept.
  bool met_before(std::string_view shape, std::uint16_t context);

  // Adds a shape that is not there; may replace another, whose plan is then among the retired ones.
  ShapeEntry* add(std::string_view shape, std::uint16_t context, Plan plan);

  // Plans of shapes that were replaced: lines that were found by them may still be unread.
  std::vector<std::unique_ptr<const Plan>> take_retired() { return std::exchange(retired_, {}); }

 private:
  static constexpr std::size_t kSets = 1024;
  static constexpr std::size_t kWays = 4;

  static constexpr std::size_t kMet = 4096;

  static std::uint64_t hash_of(std::string_view shape, std::uint16_t context);

  std::vector<std::array<std::unique_ptr<ShapeEntry>, kWays>> sets_;
  std::vector<std::uint8_t> next_;  // the way of each set that is replaced next
  std::vector<std::unique_ptr<const Plan>> retired_;
  std::vector<std::uint64_t> met_;
};

}  // namespace lowtide::ingest

// Where may a word begin? Sixty words at once, 32 bytes at a time.
//
// The method is that of Teddy in Hyperscan: four bytes of each word are its mark. The words are kept in
// sixteen groups, one bit each; a byte can be the first (second, third, fourth) of a mark of a group when
// both its halves can, which two tables of sixteen entries tell, and a vector unit looks up sixteen or
// more of them in one instruction. What passes is a place to look at, no more: one byte in thirty of a
// log does, one in two hundred begins a word.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace lowtide::ingest {

inline constexpr std::size_t kPlaces = 4;  // bytes of a mark
inline constexpr std::size_t kGroups = 16;
inline constexpr std::size_t kBlock = 32;
inline constexpr char kEscape = '\x1b';  // ends a line, as '\n' and '\r' do

struct PlaceTables {
  using Nibbles = std::array<std::uint8_t, 16>;
  struct Halves {
    std::array<Nibbles, kPlaces> low{};
    std::array<Nibbles, kPlaces> high{};
  };
  std::array<Halves, 2> sets{};  // groups 0 to 7, and 8 to 15

  // A byte may be at `place` of the marks of these groups.
  constexpr void allow(std::size_t place, std::size_t byte, std::uint16_t groups) {
    for (std::size_t set = 0; set < 2; ++set) {
      const auto bits = static_cast<std::uint8_t>(groups >> (8 * set));
      sets[set].low[place][byte & 15U] |= bits;
      sets[set].high[place][byte >> 4U] |= bits;
    }
  }

  [[nodiscard]] constexpr std::uint16_t groups_of(std::size_t place, std::size_t byte) const {
    const unsigned first = sets[0].low[place][byte & 15U] & sets[0].high[place][byte >> 4U];
    const unsigned second = sets[1].low[place][byte & 15U] & sets[1].high[place][byte >> 4U];
    return static_cast<std::uint16_t>(first | second << 8U);
  }
};

// A line: where it ends, and its places as bits.
struct LineScan {
  static constexpr std::size_t kMost = 1024;

  std::size_t length = 0;  // to the first '\n', '\r' or ESC; kMost, or what was asked, when there is none
  std::array<std::uint32_t, kMost / kBlock> places{};  // only those up to `length` are set
};

// Bit i = a mark may begin at text[i]; kBlock + kPlaces - 1 bytes must be readable.
std::uint32_t find_places(const PlaceTables& tables, const char* text);
std::uint32_t find_places_one_by_one(const PlaceTables& tables, const char* text);

// The same up to the end of a line, of at most `length` bytes; 36 more must be readable.
void scan_places(const PlaceTables& tables, const char* text, std::size_t length, LineScan& scan);

}  // namespace lowtide::ingest

#include "ingest/scan/shape_cache.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace lowtide::ingest {
namespace {

// Vector extensions of GCC and clang: SSE2 on x86-64, NEON on aarch64, no intrinsics.
using Bytes16 [[gnu::vector_size(16)]] = std::uint8_t;
using Words2 [[gnu::vector_size(16)]] = std::uint64_t;

Bytes16 load(const void* from) {
  Bytes16 bytes;
  std::memcpy(&bytes, from, sizeof bytes);
  return bytes;
}

constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15ULL;

std::uint64_t load_word(const char* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof word);
  return word;
}

// Two words at a time, each with a product of its own: neither waits for the other.
std::uint64_t hash_of(std::string_view shape, std::uint16_t context) {
  std::uint64_t even = (shape.size() * kOdd) ^ context;
  std::uint64_t odd = kOdd;
  std::size_t at = 0;
  for (; at + 16 <= shape.size(); at += 16) {
    even = (even ^ load_word(shape.data() + at)) * kOdd;
    odd = (odd ^ load_word(shape.data() + at + 8)) * kOdd;
    even ^= even >> 29U;
    odd ^= odd >> 31U;
  }
  std::array<char, 16> rest{};
  std::copy(shape.begin() + static_cast<std::ptrdiff_t>(at), shape.end(), rest.begin());
  even = (even ^ load_word(rest.data())) * kOdd;
  odd = (odd ^ load_word(rest.data() + 8)) * kOdd;
  const std::uint64_t hash = (even ^ (odd >> 32U) ^ (odd << 32U)) * kOdd;
  return hash ^ (hash >> 32U);
}

// The shape of sixteen bytes, folded to one word.
std::uint64_t hash_of_16(const char* text) {
  const Bytes16 bytes = load(text);
  const Bytes16 zero = Bytes16{} + static_cast<std::uint8_t>('0');
  const auto digits = reinterpret_cast<Bytes16>(bytes - zero < static_cast<std::uint8_t>(10));
  const auto words = reinterpret_cast<Words2>((bytes & ~digits) | (zero & digits));
  return (words[0] * kOdd) ^ (words[1] * 0xBF58476D1CE4E5B9ULL);
}

}  // namespace

std::uint64_t ShapeGuesses::hash_of(std::string_view line, std::uint16_t context) {
  const std::uint64_t first = hash_of_16(line.data());
  const std::uint64_t middle = hash_of_16(line.data() + (line.size() - kLeast) / 2);
  const std::uint64_t last = hash_of_16(line.data() + line.size() - kLeast);
  const std::uint64_t hash =
      (first ^ (first >> 32U) ^ (line.size() << 16U) ^ context) * kOdd + last + (middle << 7U);
  return (hash ^ (hash >> 29U)) * kOdd;
}

void write_shape(std::string_view text, char* into) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto c = static_cast<std::uint8_t>(text[at]);
    into[at] = static_cast<std::uint8_t>(c - '0') < 10 ? '0' : static_cast<char>(c);
  }
}

bool matches(const ShapeEntry& entry, const char* text) {
  const char end = text[entry.length];
  if (end != '\n' && end != '\r') return false;
  const std::uint8_t* shape = entry.bytes.data();
  const std::uint8_t* spread = entry.spread.data();
  Bytes16 wrong = {};
  for (std::size_t at = 0; at < entry.length; at += 16) {
    // '0'..'9' are 0x30..0x39: a digit differs from '0' by at most 9 in xor, any other byte by more.
    const Bytes16 difference = load(text + at) ^ load(shape + at);
    wrong |= reinterpret_cast<Bytes16>(difference > load(spread + at));
  }
  const auto words = reinterpret_cast<Words2>(wrong);
  return (words[0] | words[1]) == 0;
}

ShapeKey::ShapeKey(std::string_view its_shape, std::uint16_t its_context)
    : shape(its_shape), context(its_context), hash(hash_of(its_shape, its_context)) {}

ShapeCache::ShapeCache() : sets_(kSets), next_(kSets, 0), met_(kMet, 0) {}

ShapeEntry* ShapeCache::find(const ShapeKey& key) {
  for (const std::unique_ptr<ShapeEntry>& entry : sets_[key.hash % kSets]) {
    if (entry != nullptr && entry->length == key.shape.size() && entry->hash == key.hash &&
        entry->context == key.context &&
        std::memcmp(entry->bytes.data(), key.shape.data(), key.shape.size()) == 0) {
      return entry.get();
    }
  }
  return nullptr;
}

bool ShapeCache::met_before(const ShapeKey& key) {
  return std::exchange(met_[(key.hash >> 20U) % kMet], key.hash) == key.hash;
}

ShapeEntry* ShapeCache::add(const ShapeKey& key, ShapePlan plan) {
  const std::string_view shape = key.shape;
  const std::size_t set = key.hash % kSets;
  // An entry that is replaced stays where it is: others may still name it as their follower,
  // and matches() shows that it is another shape now.
  std::unique_ptr<ShapeEntry>& place = sets_[set][next_[set]];
  if (place == nullptr) place = std::make_unique<ShapeEntry>();
  ShapeEntry& entry = *place;
  next_[set] = static_cast<std::uint8_t>((next_[set] + 1) % kWays);
  const std::size_t padded = (shape.size() + 15) / 16 * 16;
  // At least one block, so that an empty line has bytes to compare.
  entry.bytes.assign(std::max<std::size_t>(padded, 16), 0);
  entry.spread.assign(std::max<std::size_t>(padded, 16), 255);
  for (std::size_t at = 0; at < shape.size(); ++at) {
    entry.bytes[at] = static_cast<std::uint8_t>(shape[at]);
    entry.spread[at] = shape[at] == '0' ? 9 : 0;
  }
  entry.length = shape.size();
  entry.hash = key.hash;
  entry.context = key.context;
  entry.plan = std::make_unique<const ShapePlan>(std::move(plan));
  entry.followers = {nullptr, nullptr};
  return &entry;
}

}  // namespace lowtide::ingest

#include "ingest/shape_cache.h"

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

}  // namespace

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

ShapeCache::ShapeCache() : sets_(kSets), next_(kSets, 0), met_(kMet, 0) {}

std::uint64_t ShapeCache::hash_of(std::string_view shape, std::uint16_t context) {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15ULL;
  std::uint64_t hash = (shape.size() * kOdd) ^ context;
  std::size_t at = 0;
  for (; at + 8 <= shape.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, shape.data() + at, 8);
    hash = (hash ^ word) * kOdd;
    hash ^= hash >> 29U;
  }
  std::uint64_t word = 0;
  if (at < shape.size()) std::memcpy(&word, shape.data() + at, shape.size() - at);
  hash = (hash ^ word) * kOdd;
  return hash ^ (hash >> 32U);
}

ShapeEntry* ShapeCache::find(std::string_view shape, std::uint16_t context) {
  const std::uint64_t hash = hash_of(shape, context);
  for (const std::unique_ptr<ShapeEntry>& entry : sets_[hash % kSets]) {
    if (entry != nullptr && entry->length == shape.size() && entry->hash == hash &&
        entry->context == context && std::memcmp(entry->bytes.data(), shape.data(), shape.size()) == 0) {
      return entry.get();
    }
  }
  return nullptr;
}

bool ShapeCache::met_before(std::string_view shape, std::uint16_t context) {
  const std::uint64_t hash = hash_of(shape, context);
  return std::exchange(met_[(hash >> 20U) % kMet], hash) == hash;
}

ShapeEntry* ShapeCache::add(std::string_view shape, std::uint16_t context, Plan plan) {
  const std::uint64_t hash = hash_of(shape, context);
  const std::size_t set = hash % kSets;
  // An entry that is replaced stays where it is: others may still name it as their follower,
  // and matches() tells that it is another shape now.
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
  entry.hash = hash;
  entry.context = context;
  if (entry.plan != nullptr) retired_.push_back(std::move(entry.plan));
  entry.plan = std::make_unique<const Plan>(std::move(plan));
  entry.followers = {nullptr, nullptr};
  return &entry;
}

}  // namespace lowtide::ingest

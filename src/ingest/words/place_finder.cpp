#include "ingest/words/place_finder.h"

#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace lowtide::ingest {
namespace {

struct FoundPlaces {
  std::uint32_t places = 0;
  std::uint32_t ends = 0;  // '\n', '\r' or ESC
};

FoundPlaces find_one_by_one(const PlaceTables& tables, const char* text) {
  FoundPlaces found;
  for (std::size_t i = 0; i < kBlock; ++i) {
    unsigned groups = 0xFFFF;
    for (std::size_t place = 0; place < kPlaces; ++place) {
      groups &= tables.groups_of(place, static_cast<std::uint8_t>(text[i + place]));
    }
    const bool ends = text[i] == '\n' || text[i] == '\r' || text[i] == kEscape;
    found.places |= (groups != 0 ? 1U : 0U) << i;
    found.ends |= (ends ? 1U : 0U) << i;
  }
  return found;
}

// Keeps what a block told; true = the line ends in it.
[[gnu::always_inline]] inline bool keep(const FoundPlaces& found, std::size_t at, std::size_t most,
                                        LineScan& scan) {
  scan.places[at / kBlock] = found.places;
  if (found.ends == 0) return false;
  const auto end = static_cast<std::size_t>(__builtin_ctz(found.ends));
  scan.places[at / kBlock] &= (1U << end) - 1U;
  scan.length = std::min(at + end, most);
  return true;
}

#if defined(__x86_64__)

// pshufb takes the lower four bits of an index, and gives 0 for bytes of 0x80 and more: no word has one,
// and only the last place of a mark may be any byte, so only there is the index masked.
[[gnu::target("avx2"), gnu::always_inline]] inline __m256i table(const PlaceTables::Nibbles& nibbles) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(nibbles.data())));
}

[[gnu::target("avx2"), gnu::always_inline]] inline FoundPlaces find_32(const PlaceTables& tables,
                                                                       const char* text) {
  const __m256i nibble = _mm256_set1_epi8(15);
  __m256i first = _mm256_set1_epi8(-1);
  __m256i second = first;
  for (std::size_t place = 0; place < kPlaces; ++place) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + place));
    const __m256i low = place + 1 == kPlaces ? _mm256_and_si256(bytes, nibble) : bytes;
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble);
    const auto& [set0, set1] = tables.sets;
    first = _mm256_and_si256(first, _mm256_and_si256(_mm256_shuffle_epi8(table(set0.low[place]), low),
                                                     _mm256_shuffle_epi8(table(set0.high[place]), high)));
    second = _mm256_and_si256(second, _mm256_and_si256(_mm256_shuffle_epi8(table(set1.low[place]), low),
                                                       _mm256_shuffle_epi8(table(set1.high[place]), high)));
  }
  const __m256i none = _mm256_cmpeq_epi8(_mm256_or_si256(first, second), _mm256_setzero_si256());
  const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text));
  const __m256i ends = _mm256_or_si256(_mm256_or_si256(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\n')),
                                                       _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\r'))),
                                       _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(kEscape)));
  return {~static_cast<std::uint32_t>(_mm256_movemask_epi8(none)),
          static_cast<std::uint32_t>(_mm256_movemask_epi8(ends))};
}

[[gnu::target("ssse3"), gnu::always_inline]] inline FoundPlaces find_16(const PlaceTables& tables,
                                                                        const char* text) {
  const __m128i nibble = _mm_set1_epi8(15);
  __m128i any = _mm_setzero_si128();
  for (const PlaceTables::Halves& set : tables.sets) {
    __m128i groups = _mm_set1_epi8(-1);
    for (std::size_t place = 0; place < kPlaces; ++place) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + place));
      const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(set.low[place].data()));
      const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(set.high[place].data()));
      groups = _mm_and_si128(groups, _mm_shuffle_epi8(low, _mm_and_si128(bytes, nibble)));
      groups = _mm_and_si128(groups, _mm_shuffle_epi8(high, _mm_and_si128(_mm_srli_epi16(bytes, 4), nibble)));
    }
    any = _mm_or_si128(any, groups);
  }
  const __m128i none = _mm_cmpeq_epi8(any, _mm_setzero_si128());
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text));
  const __m128i ends = _mm_or_si128(
      _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\r'))),
      _mm_cmpeq_epi8(bytes, _mm_set1_epi8(kEscape)));
  return {~static_cast<std::uint32_t>(_mm_movemask_epi8(none)) & 0xFFFFU,
          static_cast<std::uint32_t>(_mm_movemask_epi8(ends))};
}

[[gnu::target("ssse3"), gnu::always_inline]] inline FoundPlaces find_twice_16(const PlaceTables& tables,
                                                                              const char* text) {
  const FoundPlaces first = find_16(tables, text);
  const FoundPlaces second = find_16(tables, text + 16);
  return {first.places | second.places << 16U, first.ends | second.ends << 16U};
}

[[gnu::target("avx2")]] void scan_avx2(const PlaceTables& tables, const char* text, std::size_t length,
                                       LineScan& scan) {
  const std::size_t most = std::min(length, LineScan::kMost);
  scan.length = most;
  for (std::size_t at = 0; at < most; at += kBlock) {
    if (keep(find_32(tables, text + at), at, most, scan)) return;
  }
}

[[gnu::target("ssse3")]] FoundPlaces find_ssse3(const PlaceTables& tables, const char* text) {
  return find_twice_16(tables, text);
}

[[gnu::target("avx2")]] FoundPlaces find_avx2(const PlaceTables& tables, const char* text) {
  return find_32(tables, text);
}

const bool kHasAvx2 = __builtin_cpu_supports("avx2") != 0;
const bool kHasSsse3 = __builtin_cpu_supports("ssse3") != 0;

FoundPlaces find(const PlaceTables& tables, const char* text) {
  if (kHasAvx2) return find_avx2(tables, text);
  return kHasSsse3 ? find_ssse3(tables, text) : find_one_by_one(tables, text);
}

#elif defined(__aarch64__)

// A bit per byte, as movemask gives it elsewhere.
std::uint32_t to_bits(uint8x16_t set) {
  static constexpr std::array<std::uint8_t, 16> kBits = {1, 2, 4, 8, 16, 32, 64, 128,
                                                         1, 2, 4, 8, 16, 32, 64, 128};
  const uint8x16_t bits = vandq_u8(set, vld1q_u8(kBits.data()));
  return static_cast<std::uint32_t>(vaddv_u8(vget_low_u8(bits))) |
         static_cast<std::uint32_t>(vaddv_u8(vget_high_u8(bits))) << 8U;
}

FoundPlaces find_16(const PlaceTables& tables, const char* text) {
  const auto* const from = reinterpret_cast<const std::uint8_t*>(text);
  uint8x16_t any = vdupq_n_u8(0);
  for (const PlaceTables::Halves& set : tables.sets) {
    uint8x16_t groups = vdupq_n_u8(255);
    for (std::size_t place = 0; place < kPlaces; ++place) {
      const uint8x16_t bytes = vld1q_u8(from + place);
      groups = vandq_u8(groups, vqtbl1q_u8(vld1q_u8(set.low[place].data()), vandq_u8(bytes, vdupq_n_u8(15))));
      groups = vandq_u8(groups, vqtbl1q_u8(vld1q_u8(set.high[place].data()), vshrq_n_u8(bytes, 4)));
    }
    any = vorrq_u8(any, groups);
  }
  const uint8x16_t bytes = vld1q_u8(from);
  const uint8x16_t ends =
      vorrq_u8(vorrq_u8(vceqq_u8(bytes, vdupq_n_u8('\n')), vceqq_u8(bytes, vdupq_n_u8('\r'))),
               vceqq_u8(bytes, vdupq_n_u8(kEscape)));
  return {to_bits(vtstq_u8(any, any)), to_bits(ends)};
}

FoundPlaces find(const PlaceTables& tables, const char* text) {
  const FoundPlaces first = find_16(tables, text);
  const FoundPlaces second = find_16(tables, text + 16);
  return {first.places | second.places << 16U, first.ends | second.ends << 16U};
}

#else

FoundPlaces find(const PlaceTables& tables, const char* text) {
  return find_one_by_one(tables, text);
}

#endif

}  // namespace

std::uint32_t find_places(const PlaceTables& tables, const char* text) {
  return find(tables, text).places;
}

std::uint32_t find_places_one_by_one(const PlaceTables& tables, const char* text) {
  return find_one_by_one(tables, text).places;
}

void scan_places(const PlaceTables& tables, const char* text, std::size_t length, LineScan& scan) {
#if defined(__x86_64__)
  if (kHasAvx2) {
    scan_avx2(tables, text, length, scan);
    return;
  }
#endif
  const std::size_t most = std::min(length, LineScan::kMost);
  scan.length = most;
  for (std::size_t at = 0; at < most; at += kBlock) {
    if (keep(find(tables, text + at), at, most, scan)) return;
  }
}

}  // namespace lowtide::ingest

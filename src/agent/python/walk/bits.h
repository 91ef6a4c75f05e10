// Bits of a word, in plain arithmetic: not every x86_64 has an instruction that counts them.

#pragma once

#include <cstdint>

namespace lowtide::agent {

inline std::uint32_t count_bits(std::uint64_t word) {
  word -= (word >> 1U) & 0x5555555555555555ULL;
  word = (word & 0x3333333333333333ULL) + ((word >> 2U) & 0x3333333333333333ULL);
  word = (word + (word >> 4U)) & 0x0f0f0f0f0f0f0f0fULL;
  return static_cast<std::uint32_t>((word * 0x0101010101010101ULL) >> 56U);
}

}  // namespace lowtide::agent

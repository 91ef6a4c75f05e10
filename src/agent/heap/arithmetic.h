// The mathematics of Poisson sampling, without libm.

#pragma once

#include <bit>
#include <cstdint>

namespace lowtide::agent {

// Natural logarithm of 0 < x <= 1; relative error below 1e-9.
inline double log_of(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int exponent = static_cast<int>((bits >> 52U) & 0x7ffU) - 1023;
  const double mantissa = std::bit_cast<double>((bits & 0xfffffffffffffULL) | 0x3ff0000000000000ULL);
  // ln m = 2 artanh((m - 1) / (m + 1)); the argument is below 1/3.
  const double s = (mantissa - 1.0) / (mantissa + 1.0);
  const double square = s * s;
  double sum = 0.0;
  for (int power = 17; power >= 1; power -= 2) {
    sum = sum * square + 1.0 / power;
  }
  constexpr double kLn2 = 0.69314718055994530942;
  return 2.0 * s * sum + exponent * kLn2;
}

// 1 - exp(-x) for x >= 0, also exact for a small x.
inline double one_minus_exp(double x) {
  if (x > 40.0) {
    return 1.0;
  }
  if (x < 1e-5) {
    return x * (1.0 - x / 2.0);
  }
  constexpr double kLn2 = 0.69314718055994530942;
  const int halvings = static_cast<int>(x / kLn2);
  const double rest = x - halvings * kLn2;
  double power = 1.0;  // exp(-rest) by Horner; rest < 0.7, so that 18 terms are beyond a double's digits
  for (int term = 18; term >= 1; --term) {
    power = 1.0 - power * rest / term;
  }
  const double scale = std::bit_cast<double>(static_cast<std::uint64_t>(1023 - halvings) << 52U);
  return 1.0 - power * scale;
}

// xorshift64*: good enough for where to sample, and three instructions.
inline std::uint64_t next_random(std::uint64_t& state) {
  state ^= state >> 12U;
  state ^= state << 25U;
  state ^= state >> 27U;
  return state * 0x2545f4914f6cdd1dULL;
}

// Bytes until the next sample: exponentially distributed.
inline std::uint64_t draw_bytes(std::uint64_t& random, std::uint64_t mean_bytes) {
  const double uniform = (static_cast<double>(next_random(random) >> 11U) + 1.0) * 0x1p-53;
  return static_cast<std::uint64_t>(-log_of(uniform) * static_cast<double>(mean_bytes));
}

// For how many bytes a sampled allocation stands: its size over the probability that
// it was sampled. What is as large as the mean is always sampled and stands for itself.
inline std::uint64_t weight_of(std::uint64_t bytes, std::uint64_t mean_bytes) {
  if (bytes >= mean_bytes) {
    return bytes;
  }
  if (bytes == 0) {
    return 0;
  }
  const auto size = static_cast<double>(bytes);
  // NOLINTNEXTLINE(bugprone-incorrect-roundings): lround is libm's, and the number is positive
  return static_cast<std::uint64_t>(size / one_minus_exp(size / static_cast<double>(mean_bytes)) + 0.5);
}

}  // namespace lowtide::agent

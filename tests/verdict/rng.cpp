#include "verdict/rng.h"

#include <cmath>
#include <numbers>

namespace lowtide::bench {
namespace {

std::uint64_t split_mix(std::uint64_t state) {
  state += 0x9E3779B97F4A7C15ULL;
  state = (state ^ (state >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  state = (state ^ (state >> 27U)) * 0x94D049BB133111EBULL;
  return state ^ (state >> 31U);
}

}  // namespace

Rng::Rng(std::uint64_t seed, std::uint64_t stream) : engine_(split_mix(split_mix(seed) ^ stream)) {}

double Rng::uniform() {
  constexpr double kTwoToMinus53 = 0x1.0p-53;
  return static_cast<double>(engine_() >> 11U) * kTwoToMinus53;
}

double Rng::uniform(double low, double high) {
  return low + (high - low) * uniform();
}

double Rng::log_uniform(double low, double high) {
  return low * std::exp(std::log(high / low) * uniform());
}

double Rng::normal() {
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));  // Box-Muller; 1 - u is never 0
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

double Rng::exponential(double mean) {
  return -mean * std::log(1 - uniform());
}

bool Rng::chance(double probability) {
  return uniform() < probability;
}

std::size_t Rng::index(std::size_t count) {
  return static_cast<std::size_t>(uniform() * static_cast<double>(count));
}

int Rng::whole(int low, int high) {
  return low + static_cast<int>(index(static_cast<std::size_t>(high - low) + 1));
}

double Rng::pick(std::initializer_list<double> values) {
  return *(values.begin() + index(values.size()));
}

}  // namespace lowtide::bench

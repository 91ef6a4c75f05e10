// Random numbers that are the same on every machine.
//
// The engine of the standard library is fixed by the standard, its distributions
// are not: libstdc++ and libc++ draw different normals from the same engine. A
// corpus that is named by its seed needs both, so the distributions are here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>

namespace lowtide::bench {

class Rng {
 public:
  // Streams of neighbouring seeds or indices are unrelated (SplitMix64 between them and the engine).
  explicit Rng(std::uint64_t seed, std::uint64_t stream = 0);

  double uniform();                         // [0, 1)
  double uniform(double low, double high);  // [low, high)
  double log_uniform(double low, double high);
  double normal();
  double exponential(double mean);
  bool chance(double probability);
  std::size_t index(std::size_t count);  // 0 .. count-1; count > 0
  int whole(int low, int high);          // low .. high, both possible
  double pick(std::initializer_list<double> values);

 private:
  std::mt19937_64 engine_;
};

}  // namespace lowtide::bench

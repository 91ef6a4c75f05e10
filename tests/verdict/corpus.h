// A labelled corpus, named by its seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "verdict/series.h"

namespace lowtide::bench {

struct CorpusPlan {
  std::uint64_t seed = 1;
  std::size_t series = 1000;
  bool shifted = false;  // drawn from shifted_knobs()
  bool other = false;    // of the families of the third corpus (families_other.cpp)
};

// Series i depends on the seed and on i alone: a longer corpus begins with the shorter one.
[[nodiscard]] Series make_series(const CorpusPlan& plan, std::size_t index);
[[nodiscard]] std::vector<Series> make_corpus(const CorpusPlan& plan);

}  // namespace lowtide::bench

// The catalogue of things that memory does, each with its truth.
//
// In a family every draw stands in a statement of its own (or in a braced list):
// the order in which arguments are evaluated differs between compilers, and a
// corpus is the same for one seed everywhere.
#pragma once

#include <span>
#include <string_view>

#include "verdict/scene.h"

namespace lowtide::bench {

struct Family {
  std::string_view name;
  Scene (*draw)(Draft);
};

[[nodiscard]] std::span<const Family> leak_families();
[[nodiscard]] std::span<const Family> warmup_families();
[[nodiscard]] std::span<const Family> spike_families();
[[nodiscard]] std::span<const Family> stable_families();
[[nodiscard]] std::span<const Family> inconclusive_families();

// Of the third corpus (families_other.cpp).
[[nodiscard]] std::span<const Family> other_leak_families();
[[nodiscard]] std::span<const Family> other_warmup_families();
[[nodiscard]] std::span<const Family> other_spike_families();
[[nodiscard]] std::span<const Family> other_inconclusive_families();

}  // namespace lowtide::bench

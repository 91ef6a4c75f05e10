#pragma once

#include <cstdint>

namespace lowtide::screen {

inline constexpr std::uint64_t kMB = 1'000'000;

}  // namespace lowtide::screen

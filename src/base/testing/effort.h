// How much a long test does: all of it in a plain build, a part of it under a sanitizer or in an emulator,
// where each step costs many times as much and the second thousand finds what the first did not only by
// chance.
#pragma once

namespace lowtide::base {

// Not __OPTIMIZE__: a pragma in the headers of fmt defines it in every build.
#ifdef LOWTIDE_SLOW_BUILD
inline constexpr bool kIsSlowBuild = true;
#else
inline constexpr bool kIsSlowBuild = false;
#endif

template <typename Number>
constexpr Number effort(Number full, Number slow) {
  return kIsSlowBuild ? slow : full;
}

}  // namespace lowtide::base

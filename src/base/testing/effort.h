// How much a long test does: all of it in a plain build, a part of it under a sanitizer or in an emulator,
// where each step costs many times as much and the second thousand finds what the first did not only by
// chance.
#pragma once

namespace lowtide::base {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsSlowBuild = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kIsSlowBuild = true;
#else
inline constexpr bool kIsSlowBuild = false;
#endif
#elif !defined(__OPTIMIZE__)
inline constexpr bool kIsSlowBuild = true;
#else
inline constexpr bool kIsSlowBuild = false;
#endif

template <typename Number>
constexpr Number effort(Number full, Number slow) {
  return kIsSlowBuild ? slow : full;
}

}  // namespace lowtide::base

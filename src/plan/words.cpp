#include "plan/words.h"

#include <fmt/format.h>

#include <cmath>

#include "base/units.h"

namespace lowtide::plan {

std::string count_words(double count) {
  constexpr double kTrillion = 1e12;
  constexpr double kBillion = 1e9;
  constexpr double kMillion = 1e6;
  if (count >= 0.9995 * kTrillion) return fmt::format("{:.3g} trillion", count / kTrillion);
  if (count >= 0.9995 * kBillion) return fmt::format("{:.3g} billion", count / kBillion);
  if (count >= 0.9995 * kMillion) return fmt::format("{:.3g} million", count / kMillion);
  return base::format_count(base::to_bytes(count));
}

std::string counted_words(double count, const char* noun, const char* plural) {
  return fmt::format("{} {}{}", count_words(count), noun, count == 1 ? "" : plural);
}

std::string factor_words(double factor) {
  return fmt::format("{:.3g}", factor);
}

}  // namespace lowtide::plan

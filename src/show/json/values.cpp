#include "show/json/values.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/text.h"

namespace lowtide::show {

std::string_view program_version_text() {
  return LOWTIDE_VERSION;
}

std::string written(const Json& json, int indent) {
  return base::escape_invisible(json.dump(indent, ' ', false, Json::error_handler_t::replace));
}

Json number(double value, int significant) {
  if (!std::isfinite(value)) return nullptr;
  if (value == 0) return 0.0;
  const double scale = std::pow(10.0, significant - 1 - std::floor(std::log10(std::abs(value))));
  // Large numbers are divided and small ones multiplied, as a power of ten below one is no exact double.
  const double rounded =
      scale >= 1 ? std::round(value * scale) / scale : std::round(value / (1 / scale)) * (1 / scale);
  return std::isfinite(rounded) ? Json(rounded) : Json(value);
}

Json share(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::round(std::clamp(value, 0.0, 1.0) * 1e4) / 1e4;
}

Json step_number(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (value == std::floor(value) && std::abs(value) < 9e15) return static_cast<std::int64_t>(value);
  return number(value, 8);
}

Json bytes_number(double value) {
  if (!std::isfinite(value)) return nullptr;
  return static_cast<std::int64_t>(std::llround(std::clamp(value, -9e18, 9e18)));
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

std::string printable_name(std::string_view name) {
  constexpr std::size_t kMostBytes = 300;
  return base::printable(name, kMostBytes);
}

}  // namespace lowtide::show

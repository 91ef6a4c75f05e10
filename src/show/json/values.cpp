#include "show/json/values.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/text.h"

namespace lowtide::show {

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

Json seconds_or_null(const std::optional<double>& value) {
  return value ? number(*value, 9) : Json(nullptr);
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

std::string printable_name(std::string_view name) {
  constexpr std::size_t kMostBytes = 300;
  return base::printable(name, kMostBytes);
}

Json to_json(const std::optional<model::Range>& range) {
  if (!range) return nullptr;
  return {{"estimate", number(range->estimate)}, {"low", number(range->low)}, {"high", number(range->high)}};
}

Json to_json(const model::Verdict& verdict) {
  const bool by_step = verdict.axis == model::Axis::Step;
  Json rate = nullptr;
  if (verdict.rate) {
    rate = {{"bytes", bytes_number(verdict.rate->bytes)},
            {"per", by_step ? "step" : "second"},
            {"low", bytes_number(verdict.rate->low)},
            {"high", bytes_number(verdict.rate->high)}};
  }
  Json warmup_end = nullptr;
  if (verdict.warmup_end) {
    const auto& mark = *verdict.warmup_end;
    warmup_end = {{"step", mark.step ? step_number(*mark.step) : Json(nullptr)},
                  {"seconds", seconds_or_null(mark.at_s)}};
  }
  Json lean = nullptr;
  if (verdict.lean) {
    lean = {{"kind", model::to_string(verdict.lean->kind)}, {"confidence", share(verdict.lean->confidence)}};
  }
  Json floor = {{"first_bytes", nullptr}, {"last_bytes", nullptr}};
  if (verdict.samples > 0) {
    floor = {{"first_bytes", verdict.floor.first_bytes}, {"last_bytes", verdict.floor.last_bytes}};
  }
  return {{"kind", model::to_string(verdict.kind)},
          {"confidence", share(verdict.confidence)},
          {"axis", model::to_string(verdict.axis)},
          {"samples", verdict.samples},
          {"rate", std::move(rate)},
          {"floor", std::move(floor)},
          {"warmup_end", std::move(warmup_end)},
          {"plateau_bytes", or_null(verdict.plateau_bytes)},
          {"spike_bytes", or_null(verdict.spike_bytes)},
          {"reason", verdict.reason},
          {"needs", or_null(verdict.needs)},
          {"lean", std::move(lean)},
          {"basis", verdict.basis}};
}

Json to_json(const std::optional<model::Forecast>& forecast) {
  if (!forecast) return nullptr;
  return {{"limit", model::to_string(forecast->limit)},
          {"limit_bytes", forecast->limit_bytes},
          {"step", to_json(forecast->step)},
          {"seconds", to_json(forecast->seconds)}};
}

}  // namespace lowtide::show

#pragma once

#include <string_view>

namespace lowtide::model {

enum class Severity { Critical, High, Medium, Low, Info };

constexpr std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::Critical:
      return "critical";
    case Severity::High:
      return "high";
    case Severity::Medium:
      return "medium";
    case Severity::Low:
      return "low";
    case Severity::Info:
      return "info";
  }
  return {};
}

}  // namespace lowtide::model

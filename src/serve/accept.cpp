#include "serve/accept.h"

#include <algorithm>
#include <charconv>

#include "serve/header_text.h"

namespace lowtide::serve {
namespace {

// Up to the separator, which is removed as well; all of it if there is none.
std::string_view take_part(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return trimmed(part);
}

// A quality that cannot be read counts as 0: the client cannot have meant to prefer it.
double quality_of(std::string_view parameters) {
  while (!parameters.empty()) {
    const std::string_view parameter = take_part(parameters, ';');
    if (parameter.size() < 2 || (parameter[0] != 'q' && parameter[0] != 'Q') || parameter[1] != '=') continue;
    const std::string_view digits = parameter.substr(2);
    double quality = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), quality, std::chars_format::fixed);
    const bool is_number = error == std::errc() && end == digits.data() + digits.size();
    return is_number && quality >= 0 && quality <= 1 ? quality : 0;
  }
  return 1;
}

}  // namespace

std::optional<double> find_quality(std::string_view accept, std::string_view range) {
  std::optional<double> best;
  while (!accept.empty()) {
    std::string_view item = take_part(accept, ',');
    if (!equals_ignoring_case(take_part(item, ';'), range)) continue;
    best = std::max(best.value_or(0), quality_of(item));
  }
  return best;
}

bool prefers_over_plain_text(std::string_view accept, std::string_view type) {
  const double wanted = find_quality(accept, type).value_or(0);
  if (wanted <= 0) return false;
  // The most specific range that matches text/plain decides.
  for (const std::string_view range : {"text/plain", "text/*", "*/*"}) {
    if (const auto plain = find_quality(accept, range)) return wanted >= *plain;
  }
  return true;
}

}  // namespace lowtide::serve

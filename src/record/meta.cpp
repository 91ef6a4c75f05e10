#include "record/meta.h"

#include <array>

#include "base/text.h"

namespace lowtide::record {

std::string meta_key(Meta key, std::size_t number) {
  std::string name(spec_of(key).key);
  if (const std::size_t at = name.find('N'); at != std::string::npos)
    name.replace(at, 1, std::to_string(number));
  return name;
}

std::string meta_text(std::string_view value) {
  constexpr std::size_t kMostBytes = 65'536;
  return base::printable(value, kMostBytes);
}

std::string meta_text(double value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

}  // namespace lowtide::record

#include "base/text.h"

#include <cstdint>

namespace lowtide::base {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Decoded {
  std::uint32_t code_point;
  std::size_t length;  // bytes taken; 0 when the bytes are not UTF-8
};

Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(text[at]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  std::size_t length = 0;
  std::uint32_t code_point = 0;
  std::uint32_t smallest = 0;  // anything below it in this length is an overlong form
  if ((lead & 0xE0U) == 0xC0U) {
    length = 2, code_point = lead & 0x1FU, smallest = 0x80;
  } else if ((lead & 0xF0U) == 0xE0U) {
    length = 3, code_point = lead & 0x0FU, smallest = 0x800;
  } else if ((lead & 0xF8U) == 0xF0U) {
    length = 4, code_point = lead & 0x07U, smallest = 0x10000;
  }
  if (length == 0 || text.size() < length) return {0, 0};
  for (std::size_t at = 1; at < length; ++at) {
    if ((byte(at) & 0xC0U) != 0x80U) return {0, 0};
    code_point = (code_point << 6U) | (byte(at) & 0x3FU);
  }
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (code_point < smallest || code_point > 0x10FFFF || surrogate) return {0, 0};
  return {code_point, length};
}

bool is_control(std::uint32_t code_point) {
  return code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0) || code_point == 0x2028 ||
         code_point == 0x2029;
}

// Marks that reorder or hide what stands beside them ("Trojan source").
bool is_deceptive(std::uint32_t code_point) {
  return (code_point >= 0x202A && code_point <= 0x202E) || (code_point >= 0x2066 && code_point <= 0x2069) ||
         code_point == 0x200E || code_point == 0x200F || code_point == 0xFEFF;
}

}  // namespace

std::string printable(std::string_view text, std::size_t max_bytes) {
  std::string out;
  while (!text.empty()) {
    if (out.size() >= max_bytes) return out + "...";
    const Decoded next = decode(text);
    if (next.length == 0) {
      out += kReplacement;
      text.remove_prefix(1);
      continue;
    }
    if (next.code_point == '\t') {
      out += ' ';
    } else if (is_control(next.code_point)) {
      out += '?';
    } else if (!is_deceptive(next.code_point)) {
      out += text.substr(0, next.length);
    }
    text.remove_prefix(next.length);
  }
  return out;
}

}  // namespace lowtide::base

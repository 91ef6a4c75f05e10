#include "base/text.h"

#include <algorithm>
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
         code_point == 0x200E || code_point == 0x200F || code_point == 0x061C || code_point == 0xFEFF;
}

// Unicode's category Cf, and what is like it.
bool is_invisible(std::uint32_t code_point) {
  const auto is_in = [&](std::uint32_t first, std::uint32_t last) {
    return code_point >= first && code_point <= last;
  };
  return code_point == 0x00AD || is_in(0x0600, 0x0605) || code_point == 0x06DD || code_point == 0x070F ||
         is_in(0x0890, 0x0891) || code_point == 0x08E2 || code_point == 0x180E || is_in(0x200B, 0x200F) ||
         is_in(0x2060, 0x206F) || is_in(0xFFF9, 0xFFFB) || is_in(0x1BCA0, 0x1BCA3) ||
         is_in(0x1D173, 0x1D17A) || is_in(0xE0000, 0xE007F);
}

// Letters of some scripts and many emoji are written with them.
bool is_joiner(std::uint32_t code_point) {
  return code_point == 0x200C || code_point == 0x200D;
}

}  // namespace

std::string printable(std::string_view text, std::size_t max_bytes) {
  const auto is_plain = [](char c) { return c >= ' ' && c <= '~'; };
  if (text.size() <= max_bytes && std::all_of(text.begin(), text.end(), is_plain)) return std::string(text);
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
    } else if (is_joiner(next.code_point) ||
               !(is_deceptive(next.code_point) || is_invisible(next.code_point))) {
      out += text.substr(0, next.length);
    }
    text.remove_prefix(next.length);
  }
  return out;
}

std::string escape_invisible(std::string json) {
  const auto is_plain = [](char c) { return static_cast<std::uint8_t>(c) < 0x7F; };
  if (std::all_of(json.begin(), json.end(), is_plain)) return json;
  std::string out;
  out.reserve(json.size());
  const auto escape = [&](std::uint32_t unit) {
    for (const char c : {'\\', 'u'}) out += c;
    for (int shift = 12; shift >= 0; shift -= 4) out += "0123456789abcdef"[unit >> shift & 15U];
  };
  for (std::string_view rest = json; !rest.empty();) {
    const Decoded next = decode(rest);
    const std::uint32_t point = next.code_point;
    // Line ends and tabs of the layout stay: in a text JSON has escaped them.
    const bool is_hidden = point >= 0x7F && (is_control(point) || is_deceptive(point) || is_invisible(point));
    if (!is_hidden) {
      out += rest.substr(0, std::max<std::size_t>(next.length, 1));
    } else if (point < 0x10000) {
      escape(point);
    } else {
      escape(0xD800 + ((point - 0x10000) >> 10U));
      escape(0xDC00 + ((point - 0x10000) & 0x3FFU));
    }
    rest.remove_prefix(std::max<std::size_t>(next.length, 1));
  }
  return out;
}

}  // namespace lowtide::base

#include "ingest/scan/text_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace lowtide::ingest {
namespace {

using base::Error;
using base::ErrorCode;

// Who compressed this; empty = nobody. A small compressed file has too few bytes to look like no text.
std::string_view find_packer(std::string_view start) {
  if (start.starts_with("\x1F\x8B")) return "gzip";
  if (start.starts_with("\xFD"
                        "7zXZ"))
    return "xz";
  if (start.starts_with("\x28\xB5\x2F\xFD")) return "zstd";
  if (start.starts_with("BZh") && start.size() > 10 && start.substr(4, 6) == "1AY&SY") return "bzip2";
  return {};
}

struct TextCheck {
  std::uint64_t nul_bytes = 0;
  std::uint64_t control_bytes = 0;
  std::uint64_t stray_bytes = 0;  // of 0x80 and more that are no UTF-8
};

// Length of the UTF-8 sequence at text[at], a byte of 0x80 or more; 0 = it is none.
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t length = lead >= 0xF0 && lead < 0xF5   ? 4
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                                                           : 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (at + i >= text.size()) return length;  // cut where the checked part ends
    if ((static_cast<unsigned char>(text[at + i]) & 0xC0U) != 0x80U) return 0;
  }
  return length;
}

TextCheck check_text(std::string_view text) {
  TextCheck check;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0x80) {
      const std::size_t length = utf8_length(text, at);
      check.stray_bytes += length == 0 ? 1 : 0;
      at += length == 0 ? 0 : length - 1;
      continue;
    }
    check.nul_bytes += byte == 0 ? 1 : 0;
    const bool usual = byte >= 0x20 || byte == '\n' || byte == '\r' || byte == '\t' || byte == '\x1b' ||
                       byte == '\b' || byte == '\a' || byte == '\f';
    check.control_bytes += usual ? 0 : 1;
  }
  return check;
}

}  // namespace

bool is_array_on_one_line(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return false;
  const std::size_t line_end = std::min(text.find('\n', start), text.size());
  const std::string_view line = text.substr(start, line_end - start);
  if (line[0] != '[' && line[0] != '{') return false;
  const std::size_t open = line.find("[{");
  const std::size_t spaced = line.find("[ {");
  const std::size_t at = std::min(open, spaced);
  return at != std::string_view::npos && line.find('}', at) != std::string_view::npos &&
         line.find("},", at) != std::string_view::npos;
}

std::optional<Error> find_not_text(std::string_view start, std::uint64_t& control_bytes) {
  if (const std::string_view packer = find_packer(start); !packer.empty())
    return Error{ErrorCode::Malformed, fmt::format("the file is not text: it is compressed by {}", packer)};
  const TextCheck check = check_text(start);
  control_bytes = check.control_bytes;
  // Text in an 8-bit code (Latin-1, KOI8) has stray bytes too, but the words of a log are ASCII.
  const std::uint64_t odd_bytes = check.control_bytes + check.stray_bytes;
  if (check.nul_bytes * 100 <= start.size() && check.control_bytes * 10 <= start.size() &&
      odd_bytes * 10 <= start.size() * 3) {
    return std::nullopt;
  }
  return Error{ErrorCode::Malformed,
               fmt::format("the file is not text: {} of its first {} bytes are control bytes or not UTF-8",
                           odd_bytes, start.size())};
}

}  // namespace lowtide::ingest

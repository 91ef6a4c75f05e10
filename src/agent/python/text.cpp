#include "agent/python/text.h"

#include "agent/python/runtime.h"

namespace lowtide::agent {
namespace {

struct Shape {
  std::uint32_t letter_bytes = 0;  // 1, 2 or 4; 0: unreadable
  bool is_ascii = false;
};

Shape shape_of(std::uint32_t state) {
  for (const std::uint32_t shift : wire::kTextStateShifts) {
    const std::uint32_t kind = (state >> shift) & 7U;
    const bool compact = ((state >> (shift + 3)) & 1U) != 0;
    const bool ascii = ((state >> (shift + 4)) & 1U) != 0;
    if ((kind == 1 || kind == 2 || kind == 4) && compact && (!ascii || kind == 1)) {
      return {kind, ascii};
    }
  }
  return {};
}

// The bytes written, 0 where there is no room for all.
std::uint32_t put_utf8(std::uint32_t letter, char* into, std::uint32_t room) {
  const std::uint32_t bytes = letter < 0x80 ? 1 : letter < 0x800 ? 2 : letter < 0x10000 ? 3 : 4;
  if (bytes > room) {
    return 0;
  }
  if (bytes == 1) {
    into[0] = static_cast<char>(letter);
    return 1;
  }
  for (std::uint32_t at = bytes - 1; at > 0; --at) {
    into[at] = static_cast<char>(0x80U | (letter & 0x3fU));
    letter >>= 6U;
  }
  into[0] = static_cast<char>((0xf00U >> bytes) | letter);
  return bytes;
}

}  // namespace

std::uint64_t python_text_bytes(const void* object) {
  const auto length = static_cast<std::uint64_t>(field<std::int64_t>(object, g_python.layout.text_length));
  const Shape shape = shape_of(field<std::uint32_t>(object, g_python.layout.text_state));
  if (shape.letter_bytes == 0) {
    return g_python.layout.text_compact + wire::kTextElsewhereBytes;
  }
  return (shape.is_ascii ? g_python.layout.text_ascii : g_python.layout.text_compact) +
         (length + 1) * shape.letter_bytes;
}

std::uint32_t copy_python_text(const void* object, char* into, std::uint32_t room) {
  const auto length = field<std::int64_t>(object, g_python.layout.text_length);
  const Shape shape = shape_of(field<std::uint32_t>(object, g_python.layout.text_state));
  if (shape.letter_bytes == 0 || length < 0) {
    return 0;
  }
  const std::size_t begin = shape.is_ascii ? g_python.layout.text_ascii : g_python.layout.text_compact;
  std::uint32_t written = 0;
  for (std::int64_t at = 0; at < length && written < room; ++at) {
    const std::size_t from = begin + static_cast<std::size_t>(at) * shape.letter_bytes;
    std::uint32_t letter = 0;
    if (shape.letter_bytes == 1) {
      letter = field<std::uint8_t>(object, from);
    } else if (shape.letter_bytes == 2) {
      letter = field<std::uint16_t>(object, from);
    } else {
      letter = field<std::uint32_t>(object, from);
    }
    const std::uint32_t bytes = put_utf8(letter, into + written, room - written);
    if (bytes == 0) {
      break;
    }
    written += bytes;
  }
  return written;
}

}  // namespace lowtide::agent

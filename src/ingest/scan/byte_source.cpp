#include "ingest/scan/byte_source.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace lowtide::ingest {

base::Result<std::size_t> FdSource::read(std::span<char> into) {
  for (;;) {
    const ssize_t got = ::read(fd_, into.data(), into.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EINTR) continue;
    if (errno == EISDIR) return base::Error{base::ErrorCode::Unsupported, "it is a directory"};
    if (errno == EACCES || errno == EPERM) return base::Error{base::ErrorCode::Denied, "permission denied"};
    return base::Error{base::ErrorCode::Io, std::strerror(errno)};  // NOLINT(concurrency-mt-unsafe)
  }
}

base::Result<std::size_t> TextSource::read(std::span<char> into) {
  const std::size_t count = std::min(into.size(), text_.size());
  std::copy_n(text_.data(), count, into.data());  // memcpy may not be given the null of an empty text
  text_.remove_prefix(count);
  return count;
}

base::Result<std::size_t> Utf16Source::read(std::span<char> into) {
  // A code unit takes at most three bytes in UTF-8, so a third as many units always fit.
  std::vector<char> raw(std::max<std::size_t>(into.size() / 3 * 2, 2));
  for (;;) {
    std::size_t got = 0;
    if (!first_.empty()) {
      got = std::min(first_.size(), raw.size());
      std::memcpy(raw.data(), first_.data(), got);
      first_.erase(0, got);
    } else {
      auto more = from_.read(raw);
      if (!more) return more;
      got = more.value();
      if (got == 0) return std::size_t{0};
    }
    std::size_t used = 0;
    for (std::size_t at = 0; at < got; ++at) {
      const auto byte = static_cast<std::uint8_t>(raw[at]);
      if (half_ < 0) {
        half_ = byte;
        continue;
      }
      const auto first = static_cast<std::uint32_t>(half_);
      half_ = -1;
      const std::uint32_t unit = big_endian_ ? (first << 8U) | byte : (std::uint32_t{byte} << 8U) | first;
      if (unit == 0xFEFF) continue;
      if (unit < 0x80) {
        into[used++] = static_cast<char>(unit);
      } else if (unit < 0x800) {
        into[used++] = static_cast<char>(0xC0U | (unit >> 6U));
        into[used++] = static_cast<char>(0x80U | (unit & 0x3FU));
      } else if (unit >= 0xD800 && unit < 0xE000) {
        into[used++] = '?';  // beyond the basic plane: no number and no keyword has such characters
      } else {
        into[used++] = static_cast<char>(0xE0U | (unit >> 12U));
        into[used++] = static_cast<char>(0x80U | ((unit >> 6U) & 0x3FU));
        into[used++] = static_cast<char>(0x80U | (unit & 0x3FU));
      }
    }
    if (used > 0) return used;
  }
}

}  // namespace lowtide::ingest

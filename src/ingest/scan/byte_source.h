// Where the bytes of a log come from.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lowtide::ingest {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Fills some of `into`; 0 = the end.
  virtual base::Result<std::size_t> read(std::span<char> into) = 0;
};

class FdSource : public ByteSource {
 public:
  explicit FdSource(int fd) : fd_(fd) {}
  base::Result<std::size_t> read(std::span<char> into) override;

 private:
  int fd_;
};

class TextSource : public ByteSource {
 public:
  explicit TextSource(std::string_view text) : text_(text) {}
  base::Result<std::size_t> read(std::span<char> into) override;

 private:
  std::string_view text_;
};

// Turns UTF-16, as PowerShell's `>` writes it, into UTF-8. The bytes that were
// read to find that out come first.
class Utf16Source : public ByteSource {
 public:
  Utf16Source(ByteSource& from, std::string_view first, bool big_endian)
      : from_(from), first_(first), big_endian_(big_endian) {}
  base::Result<std::size_t> read(std::span<char> into) override;

 private:
  ByteSource& from_;
  std::string first_;
  bool big_endian_;
  int half_ = -1;  // the first byte of a code unit whose second has not come yet
};

}  // namespace lowtide::ingest

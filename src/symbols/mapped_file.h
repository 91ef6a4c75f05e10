// A file that is mapped for reading.
//
// If the file is truncated while it is mapped, reading the missing pages would raise SIGBUS. A signal handler
// replaces such a page by a page of zeros.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

namespace lowtide::symbols {

class MappedFile {
 public:
  // Returns nothing if the file cannot be mapped or if too many files are mapped.
  static std::optional<MappedFile> map(int fd, std::size_t bytes);

  MappedFile(MappedFile&& other) noexcept
      : begin_(std::exchange(other.begin_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)),
        slot_(std::exchange(other.slot_, 0)) {}
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] char* begin() const { return begin_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  // Releases the pages that were read. They are read again when needed.
  void give_back() const;

 private:
  MappedFile(char* begin, std::size_t bytes, std::size_t slot) : begin_(begin), bytes_(bytes), slot_(slot) {}
  void unmap();

  char* begin_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t slot_ = 0;
};

}  // namespace lowtide::symbols

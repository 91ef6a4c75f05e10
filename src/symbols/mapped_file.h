// A file that is mapped into memory to be read, and cannot kill us by it.
//
// A page that is cut off the file while it is mapped would be SIGBUS. Here it is a page of zeros.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

namespace lowtide::symbols {

class MappedFile {
 public:
  // Nothing where there is no room for it: in the address space, or among the mappings that are watched over.
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

  // What was read so far is no longer resident in this process. It is read again when it is needed.
  void give_back() const;

 private:
  MappedFile(char* begin, std::size_t bytes, std::size_t slot) : begin_(begin), bytes_(bytes), slot_(slot) {}
  void unmap();

  char* begin_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t slot_ = 0;
};

}  // namespace lowtide::symbols

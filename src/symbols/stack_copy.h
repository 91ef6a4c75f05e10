#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace lowtide::symbols {

// A piece of the target's stack, as it was at one moment, with the address it had.
class StackCopy {
 public:
  StackCopy(std::uint64_t start, std::span<const std::byte> bytes) : start_(start), bytes_(bytes) {}

  // False where the copy does not reach.
  [[nodiscard]] bool read(std::uint64_t address, std::uint64_t& into) const {
    const std::uint64_t offset = address - start_;
    if (bytes_.size() < sizeof into || address < start_ || offset > bytes_.size() - sizeof into) {
      return false;
    }
    std::memcpy(&into, bytes_.data() + offset, sizeof into);
    return true;
  }

 private:
  std::uint64_t start_;
  std::span<const std::byte> bytes_;
};

}  // namespace lowtide::symbols

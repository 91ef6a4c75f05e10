// A large array in a mapping of its own, so that its memory can be given back when its part of the walk is
// over.

#pragma once

#include <cstddef>

#include "agent/python/walk/child_memory.h"

namespace lowtide::agent {

template <typename T>
class Table {
 public:
  // So many zeroed elements. False where there is no memory for them.
  bool take(std::size_t count) { return map(count > 0 ? count : 1) && count_more(room_); }

  // Address space for at most so many, or fewer. What is used of it must be counted.
  bool reserve(std::size_t most) {
    items_ = static_cast<T*>(reserve_memory(kBytes, most, room_));
    return items_ != nullptr;
  }

  // So many more elements are used. False where there is no memory for them.
  bool count_more(std::size_t count) {
    if (counted_ + count > room_ || !count_memory(count * kBytes)) {
      return false;
    }
    counted_ += count;
    return true;
  }

  void give_back() {
    if (items_ != nullptr) {
      unmap_memory(items_, room_ * kBytes);
      uncount_memory(counted_ * kBytes);
    }
    items_ = nullptr;
    room_ = 0;
    counted_ = 0;
  }

  [[nodiscard]] bool is_taken() const { return items_ != nullptr; }
  [[nodiscard]] std::size_t room() const { return room_; }
  [[nodiscard]] std::size_t counted() const { return counted_; }
  T* data() { return items_; }
  T& operator[](std::size_t at) { return items_[at]; }
  const T& operator[](std::size_t at) const { return items_[at]; }

 private:
  // NOLINTNEXTLINE(bugprone-sizeof-expression): an element may be a pointer
  static constexpr std::size_t kBytes = sizeof(T);

  bool map(std::size_t count) {
    items_ = static_cast<T*>(map_memory(count * kBytes));
    room_ = items_ == nullptr ? 0 : count;
    return items_ != nullptr;
  }

  T* items_ = nullptr;
  std::size_t room_ = 0;
  std::size_t counted_ = 0;
};

}  // namespace lowtide::agent

// Reads and writes of another process's memory that need no stop. Bounded, and allowed
// to fail: the target changes under us.

#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace lowtide::attach {

// True when all of it was read.
bool read_memory(pid_t pid, std::uint64_t address, std::span<std::byte> into);

// From `address` upwards, page by page, as far as there is something; how many bytes.
std::size_t read_up_to(pid_t pid, std::uint64_t address, std::span<std::byte> into);

bool write_memory(pid_t pid, std::uint64_t address, std::span<const std::byte> from);

template <typename T>
bool read_value(pid_t pid, std::uint64_t address, T& into) {
  return read_memory(pid, address, std::as_writable_bytes(std::span(&into, 1)));
}

}  // namespace lowtide::attach

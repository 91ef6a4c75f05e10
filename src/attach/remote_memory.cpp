#include "attach/remote_memory.h"

#include <sys/uio.h>

#include <algorithm>
#include <array>

namespace lowtide::attach {
namespace {

void* remote(std::uint64_t address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr): iovec has it so
}

}  // namespace

bool read_memory(pid_t pid, std::uint64_t address, std::span<std::byte> into) {
  const iovec here{into.data(), into.size()};
  const iovec there{remote(address), into.size()};
  return ::process_vm_readv(pid, &here, 1, &there, 1, 0) == static_cast<ssize_t>(into.size());
}

// The kernel promises to stop between two pieces only, so each page is one.
std::size_t read_up_to(pid_t pid, std::uint64_t address, std::span<std::byte> into) {
  constexpr std::uint64_t kPageBytes = 4096;
  constexpr std::size_t kPieces = 64;
  std::size_t total = 0;
  while (total < into.size()) {
    std::array<iovec, kPieces> there{};
    std::size_t pieces = 0;
    std::size_t wanted = 0;
    for (; pieces < kPieces && total + wanted < into.size(); ++pieces) {
      const std::uint64_t at = address + total + wanted;
      const std::size_t bytes =
          std::min<std::size_t>(kPageBytes - at % kPageBytes, into.size() - total - wanted);
      there[pieces] = {remote(at), bytes};
      wanted += bytes;
    }
    const iovec here{into.data() + total, wanted};
    const ssize_t got = ::process_vm_readv(pid, &here, 1, there.data(), pieces, 0);
    if (got <= 0) {
      break;
    }
    total += static_cast<std::size_t>(got);
    if (static_cast<std::size_t>(got) != wanted) {
      break;
    }
  }
  return total;
}

bool write_memory(pid_t pid, std::uint64_t address, std::span<const std::byte> from) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): iovec knows no const; this one is only read
  const iovec here{const_cast<std::byte*>(from.data()), from.size()};
  const iovec there{remote(address), from.size()};
  return ::process_vm_writev(pid, &here, 1, &there, 1, 0) == static_cast<ssize_t>(from.size());
}

}  // namespace lowtide::attach

#include "symbols/mapped_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <mutex>

namespace lowtide::symbols {
namespace {

// Read by the signal handler.
struct Slot {
  std::atomic<bool> is_taken{false};
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};
};
constinit std::array<Slot, 1024> g_slots{};
constinit std::uintptr_t g_page_bytes = 0;
struct sigaction g_before {};

bool is_mapped_file(std::uintptr_t address) {
  return std::any_of(g_slots.begin(), g_slots.end(), [address](const Slot& slot) {
    return address >= slot.begin.load(std::memory_order_relaxed) &&
           address < slot.end.load(std::memory_order_relaxed);
  });
}

// Only calls that are safe in a signal handler.
void handle_bus_error(int /*signal*/, siginfo_t* info, void* /*context*/) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel gives the address as a number
  auto* page = reinterpret_cast<void*>(address & ~(g_page_bytes - 1));
  if (is_mapped_file(address) &&
      ::mmap(page, g_page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page) {
    return;
  }
  ::sigaction(SIGBUS, &g_before, nullptr);  // the fault is raised again for the previous handler
}

void watch_over() {
  static std::once_flag once;
  std::call_once(once, [] {
    g_page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction action {};
    action.sa_sigaction = handle_bus_error;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    ::sigaction(SIGBUS, &action, &g_before);
  });
}

std::optional<std::size_t> take_slot() {
  for (std::size_t at = 0; at < g_slots.size(); ++at) {
    if (!g_slots[at].is_taken.exchange(true)) {
      return at;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<MappedFile> MappedFile::map(int fd, std::size_t bytes) {
  if (bytes == 0) {
    return std::nullopt;
  }
  watch_over();
  const auto slot = take_slot();
  if (!slot) {
    return std::nullopt;
  }
  void* mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
  if (mapped == MAP_FAILED) {
    g_slots[*slot].is_taken.store(false);
    return std::nullopt;
  }
  ::madvise(mapped, bytes, MADV_RANDOM);
  const auto begin = reinterpret_cast<std::uintptr_t>(mapped);
  g_slots[*slot].begin.store(begin);
  g_slots[*slot].end.store(begin + bytes);
  return MappedFile(static_cast<char*>(mapped), bytes, *slot);
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this != &other) {
    unmap();
    begin_ = std::exchange(other.begin_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
    slot_ = std::exchange(other.slot_, 0);
  }
  return *this;
}

MappedFile::~MappedFile() {
  unmap();
}

void MappedFile::unmap() {
  if (begin_ == nullptr) {
    return;
  }
  g_slots[slot_].end.store(0);
  g_slots[slot_].begin.store(0);
  ::munmap(begin_, bytes_);
  g_slots[slot_].is_taken.store(false);
}

void MappedFile::give_back() const {
  ::madvise(begin_, bytes_, MADV_DONTNEED);
}

}  // namespace lowtide::symbols

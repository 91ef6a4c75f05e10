#include "procfs/test_machines.h"
#include "base/testing/source_dir.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <new>

namespace {

std::uint64_t count = 0;

}  // namespace

// NOLINTBEGIN(cppcoreguidelines-no-malloc): this is where memory comes from
void* operator new(std::size_t size) {
  ++count;
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) {
    std::abort();
  }
  return memory;
}
void* operator new(std::size_t size,
                   const std::nothrow_t& /*tag*/) noexcept {  // a sanitizer has one of its own
  return operator new(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
// NOLINTEND(cppcoreguidelines-no-malloc)

namespace lowtide::procfs {

std::uint64_t allocations() {
  return count;
}

Roots roots_of(const std::string& machine) {
  const std::string folder = base::source_dir() + "/tests/fixtures/proc/" + machine;
  return {.proc = folder + "/proc", .cgroup = folder + "/cgroup", .shm = folder};
}

std::string fixture_text(const std::string& file) {
  std::ifstream in(roots_of(kRealMachine).proc + "/" + file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace lowtide::procfs

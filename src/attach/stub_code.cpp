#include "attach/stub.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

// NOLINTBEGIN(readability-identifier-naming): labels of the stub, and what the linker calls the bounds of a
// section
extern "C" {
__attribute__((visibility("hidden"))) extern const std::byte lowtide_stub_entry[];
__attribute__((visibility("hidden"))) extern const std::byte lowtide_stub_back[];
__attribute__((visibility("hidden"))) void* lowtide_stub_work(void* page);
__attribute__((visibility("hidden"))) extern const std::byte __start_lowtide_stub[];
__attribute__((visibility("hidden"))) extern const std::byte __stop_lowtide_stub[];
}
// NOLINTEND(readability-identifier-naming)

namespace lowtide::attach {

std::span<const std::byte> stub_code() {
  return {__start_lowtide_stub, __stop_lowtide_stub};
}

std::size_t stub_entry_offset() {
  return static_cast<std::size_t>(lowtide_stub_entry - __start_lowtide_stub);
}

std::size_t stub_back_offset() {
  return static_cast<std::size_t>(lowtide_stub_back - __start_lowtide_stub);
}

std::size_t stub_work_offset() {
  return static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&lowtide_stub_work) -
                                  __start_lowtide_stub);
}

std::uint64_t vector_state_bytes() {
#if defined(__x86_64__)
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  constexpr unsigned kOsXsave = 1U << 27U;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx & kOsXsave) == 0 ||
      __get_cpuid_count(0xd, 0, &eax, &ebx, &ecx, &edx) == 0) {
    return 0;
  }
  return ebx;
#else
  return 0;
#endif
}

}  // namespace lowtide::attach

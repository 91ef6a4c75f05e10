#include "agent/heap/loaded_objects.h"

#include <sys/auxv.h>

#include <cstdint>
#include <cstring>

#include "agent/heap/system_call.h"

// NOLINTBEGIN(readability-identifier-naming): names of the sanitizers and of the loader
extern "C" {
__attribute__((weak)) void __tsan_init();
__attribute__((weak)) void __msan_init();
}
#pragma weak _r_debug
// NOLINTEND(readability-identifier-naming)

namespace lowtide::agent {
namespace {

bool is_replaced() {
  return &__tsan_init != nullptr || &__msan_init != nullptr;
}

// False where the program headers cannot be found.
bool describe(const link_map& object, bool is_program, dl_phdr_info& into) {
  into.dlpi_addr = object.l_addr;
  into.dlpi_name = object.l_name;
  if (is_program) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are numbers here
    into.dlpi_phdr = reinterpret_cast<const ElfW(Phdr)*>(getauxval(AT_PHDR));
    into.dlpi_phnum = static_cast<ElfW(Half)>(getauxval(AT_PHNUM));
    return into.dlpi_phdr != nullptr;
  }
  if (object.l_addr == 0 || !is_readable(object.l_addr)) {
    return false;
  }
  // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are numbers here
  const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(object.l_addr);
  if (std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) {
    return false;
  }
  // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are numbers here
  into.dlpi_phdr = reinterpret_cast<const ElfW(Phdr)*>(object.l_addr + header->e_phoff);
  into.dlpi_phnum = header->e_phnum;
  return true;
}

void visit_list(VisitObject visit, void* into) {
  const link_map* first = &_r_debug != nullptr ? _r_debug.r_map : nullptr;
  for (const link_map* object = first; object != nullptr; object = object->l_next) {
    dl_phdr_info info = {};
    if (describe(*object, object == first, info) && visit(&info, sizeof(info), into) != 0) {
      return;
    }
  }
}

}  // namespace

void visit_objects(VisitObject visit, void* into) {
  if (is_replaced()) {
    visit_list(visit, into);
  } else {
    dl_iterate_phdr(visit, into);
  }
}

}  // namespace lowtide::agent

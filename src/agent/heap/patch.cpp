#include "agent/heap/patch.h"

#include <link.h>
#include <linux/futex.h>
#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "agent/heap/elf_lookup.h"
#include "agent/heap/real.h"
#include "agent/heap/seccomp.h"
#include "agent/heap/system_call.h"
#include "agent/heap/text.h"
#include "agent/heap/thread_state.h"

extern "C" {
void* malloc(std::size_t) noexcept;
void free(void*) noexcept;
void* calloc(std::size_t, std::size_t) noexcept;
void* realloc(void*, std::size_t) noexcept;
void* reallocarray(void*, std::size_t, std::size_t) noexcept;
int posix_memalign(void**, std::size_t, std::size_t) noexcept;
void* aligned_alloc(std::size_t, std::size_t) noexcept;
void* memalign(std::size_t, std::size_t) noexcept;
void* valloc(std::size_t) noexcept;
void* pvalloc(std::size_t) noexcept;
void* mmap64(void*, std::size_t, int, int, int, off64_t) noexcept;
void* dlopen(const char*, int) noexcept;
int dlclose(void*) noexcept;
void* dlsym(void*, const char*) noexcept;
void* dlvsym(void*, const char*, const char*) noexcept;
int prctl(int, ...) noexcept;
long syscall(long, ...) noexcept;
}

namespace lowtide::agent {
namespace {

template <typename Function>
std::uintptr_t address_of(Function* function) {
  return reinterpret_cast<std::uintptr_t>(function);
}

struct Hook {
  const char* name;
  std::uintptr_t ours;
  std::uintptr_t real;   // what everybody else finds by this name; 0: nothing
  bool is_the_only_one;  // no second library defines it
};

constexpr std::size_t kHooks = 20;
constinit Hook g_hooks[kHooks] = {};
constinit bool g_hooks_ready = false;
constinit std::atomic<bool> g_patched{false};
constinit std::atomic<std::uint32_t> g_patching{0};
constinit std::atomic<std::uint64_t> g_seen_adds{0};
constinit std::atomic<std::uint64_t> g_skipped{0};
constinit dl_phdr_info g_program = {};  // the first one in the list of the loader

void fill_hooks() {
  const Hook hooks[kHooks] = {
      {"malloc", address_of(&malloc), 0, true},
      {"free", address_of(&free), 0, true},
      {"calloc", address_of(&calloc), 0, true},
      {"realloc", address_of(&realloc), 0, true},
      {"reallocarray", address_of(&reallocarray), 0, true},
      {"posix_memalign", address_of(&posix_memalign), 0, true},
      {"aligned_alloc", address_of(&aligned_alloc), 0, true},
      {"memalign", address_of(&memalign), 0, true},
      {"valloc", address_of(&valloc), 0, true},
      {"pvalloc", address_of(&pvalloc), 0, true},
      {"mmap", address_of(&mmap), 0, true},
      {"mmap64", address_of(&mmap64), 0, true},
      {"munmap", address_of(&munmap), 0, true},
      {"mremap", address_of(&mremap), 0, true},
      {"dlopen", address_of(&dlopen), 0, true},
      {"dlclose", address_of(&dlclose), 0, true},
      {"dlsym", address_of(&dlsym), 0, true},
      {"dlvsym", address_of(&dlvsym), 0, true},
      {"prctl", address_of(&prctl), 0, true},
      {"syscall", address_of(&syscall), 0, true},
  };
  for (std::size_t at = 0; at < kHooks; ++at) {
    g_hooks[at] = hooks[at];
  }
}

bool is_us(const dl_phdr_info& object) {
  return is_within(object, reinterpret_cast<const void*>(&fill_hooks));
}

bool is_loader(const dl_phdr_info& object) {
  return object.dlpi_name != nullptr &&
         (contains(object.dlpi_name, "/ld-linux") || contains(object.dlpi_name, "/ld-2."));
}

// The first definition is the one that the loader gives to everybody.
int find_definitions(dl_phdr_info* object, std::size_t /*bytes*/, void* /*into*/) {
  if (g_program.dlpi_phdr == nullptr) {
    g_program = *object;
  }
  if (is_us(*object) || is_loader(*object)) {
    return 0;
  }
  for (Hook& hook : g_hooks) {
    if (void* found = find_symbol(*object, hook.name)) {
      hook.is_the_only_one = hook.is_the_only_one && hook.real == 0;
      hook.real = hook.real == 0 ? reinterpret_cast<std::uintptr_t>(found) : hook.real;
    }
  }
  return 0;
}

// Our hooks pass on to g_real: only where that is what the slots lead to may we step in
// between, or a block would go to another allocator than it came from.
void unhook_functions_with_foreign_target() {
  const std::uintptr_t passed_on_to[] = {
      address_of(g_real.malloc),
      address_of(g_real.free),
      address_of(g_real.calloc),
      address_of(g_real.realloc),
      g_hooks[4].real,
      address_of(g_real.posix_memalign),
      address_of(g_real.aligned_alloc),
      address_of(g_real.memalign),
      address_of(g_real.valloc),
      address_of(g_real.pvalloc),
      address_of(g_real.mmap),
      g_hooks[11].real,
      address_of(g_real.munmap),
      address_of(g_real.mremap),
      address_of(g_real.dlopen),
      address_of(g_real.dlclose),
      address_of(g_real.dlsym),
      address_of(g_real.dlvsym),
      address_of(g_real.prctl),
      address_of(g_real.syscall),
  };
  static_assert(sizeof(passed_on_to) / sizeof(passed_on_to[0]) == kHooks);
  constexpr std::size_t kAllocatorHooks = 10;
  bool is_one_allocator = true;
  for (std::size_t at = 0; at < 4; ++at) {
    is_one_allocator = is_one_allocator && g_hooks[at].real == passed_on_to[at];
  }
  for (std::size_t at = 0; at < kHooks; ++at) {
    if (g_hooks[at].real != passed_on_to[at] || (at < kAllocatorHooks && !is_one_allocator)) {
      g_hooks[at].real = 0;
    }
  }
}

// --- the tables of one library --------------------------------------------------

struct Tables {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const ElfW(Rela) * relocations = nullptr;
  std::size_t relocation_count = 0;
  std::size_t relative_count = 0;  // the first so many have no name
  const ElfW(Rela) * plt = nullptr;
  std::size_t plt_count = 0;
  std::uintptr_t relro_begin = 0;  // whole pages, as the loader protects them
  std::uintptr_t relro_end = 0;
};

constexpr std::uintptr_t kPageMask = 4095;

template <typename T>
const T* table_at(const dl_phdr_info& object, ElfW(Addr) value) {
  return reinterpret_cast<const T*>(value < object.dlpi_addr ? value + object.dlpi_addr : value);
}

void read_dynamic(const dl_phdr_info& object, const ElfW(Dyn) * dynamic, Tables& tables) {
  bool plt_has_addends = true;
  for (; dynamic->d_tag != DT_NULL; ++dynamic) {
    const ElfW(Addr) value = dynamic->d_un.d_ptr;
    switch (dynamic->d_tag) {
      case DT_SYMTAB:
        tables.symbols = table_at<ElfW(Sym)>(object, value);
        break;
      case DT_STRTAB:
        tables.names = table_at<char>(object, value);
        break;
      case DT_RELA:
        tables.relocations = table_at<ElfW(Rela)>(object, value);
        break;
      case DT_RELASZ:
        tables.relocation_count = dynamic->d_un.d_val / sizeof(ElfW(Rela));
        break;
      case DT_RELACOUNT:
        tables.relative_count = dynamic->d_un.d_val;
        break;
      case DT_JMPREL:
        tables.plt = table_at<ElfW(Rela)>(object, value);
        break;
      case DT_PLTRELSZ:
        tables.plt_count = dynamic->d_un.d_val / sizeof(ElfW(Rela));
        break;
      case DT_PLTREL:
        plt_has_addends = dynamic->d_un.d_val == DT_RELA;
        break;
      default:
        break;
    }
  }
  if (!plt_has_addends || tables.plt == nullptr) {
    tables.plt_count = 0;
  }
  if (tables.relocations == nullptr) {
    tables.relocation_count = 0;
  }
  if (tables.relative_count > tables.relocation_count) {
    tables.relative_count = tables.relocation_count;
  }
}

bool read_tables(const dl_phdr_info& object, Tables& tables) {
  const ElfW(Dyn)* dynamic = nullptr;
  for (int at = 0; at < object.dlpi_phnum; ++at) {
    const ElfW(Phdr)& header = object.dlpi_phdr[at];
    const std::uintptr_t begin = object.dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_DYNAMIC) {
      dynamic = reinterpret_cast<const ElfW(Dyn)*>(begin);
    } else if (header.p_type == PT_GNU_RELRO) {
      tables.relro_begin = begin & ~kPageMask;
      tables.relro_end = (begin + header.p_memsz) & ~kPageMask;
    }
  }
  if (dynamic == nullptr) {
    return false;
  }
  read_dynamic(object, dynamic, tables);
  return tables.symbols != nullptr && tables.names != nullptr;
}

// True when the page can be written: the kernel adds nothing to the word, atomically, or
// says EFAULT.
bool is_writable(std::uintptr_t address) {
  constexpr long kAddNothing = FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0);
  constexpr long kFault = -14;
  std::uint32_t unused = 0;
  return system_call(SYS_futex, as_word(&unused), FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, 0,
                     static_cast<long>(address), kAddNothing) != kFault;
}

std::uintptr_t* slot_of(const dl_phdr_info& object, const ElfW(Rela) & relocation) {
  return reinterpret_cast<std::uintptr_t*>(object.dlpi_addr + relocation.r_offset);
}

// Another thread may be loading this library just now. The loader protects the pages as
// the last thing; where there are none to protect, the last slot must have been moved.
bool is_relocated(const dl_phdr_info& object, const Tables& tables) {
  if (tables.relro_begin < tables.relro_end) {
    return !is_writable(tables.relro_begin);
  }
  return tables.plt_count == 0 || __atomic_load_n(slot_of(object, tables.plt[tables.plt_count - 1]),
                                                  __ATOMIC_RELAXED) >= object.dlpi_addr;
}

bool is_slot(std::uint64_t info) {
#if defined(__x86_64__)
  constexpr std::uint64_t kKinds[] = {R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT, R_X86_64_64};
#else
  constexpr std::uint64_t kKinds[] = {R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT, R_AARCH64_ABS64};
#endif
  const std::uint64_t kind = ELF64_R_TYPE(info);
  return kind == kKinds[0] || kind == kKinds[1] || kind == kKinds[2];
}

// Of the names that we look for.
bool may_be_hooked(const char* name) {
  switch (name[0]) {
    case 'a':
    case 'c':
    case 'd':
    case 'f':
    case 'm':
    case 'p':
    case 'r':
    case 's':
    case 'v':
      return true;
    default:
      return false;
  }
}

const Hook* find_hook(const Tables& tables, const ElfW(Rela) & relocation) {
  if (!is_slot(relocation.r_info) || relocation.r_addend != 0) {
    return nullptr;
  }
  const ElfW(Sym)& symbol = tables.symbols[ELF64_R_SYM(relocation.r_info)];
  const char* name = tables.names + symbol.st_name;
  if (ELF64_R_SYM(relocation.r_info) == 0 || !may_be_hooked(name)) {
    return nullptr;
  }
  for (const Hook& hook : g_hooks) {
    if (hook.real != 0 && equal(hook.name, name)) {
      return &hook;
    }
  }
  return nullptr;
}

template <typename Visit>
void each_slot(const dl_phdr_info& object, const Tables& tables, Visit visit) {
  for (std::size_t at = tables.relative_count; at < tables.relocation_count; ++at) {
    if (const Hook* hook = find_hook(tables, tables.relocations[at])) {
      visit(slot_of(object, tables.relocations[at]), *hook);
    }
  }
  for (std::size_t at = 0; at < tables.plt_count; ++at) {
    if (const Hook* hook = find_hook(tables, tables.plt[at])) {
      visit(slot_of(object, tables.plt[at]), *hook);
    }
  }
}

// What this library's names lead to. Not everybody need find the first definition: a
// library that brings its own allocator along is left as it is.
struct SlotTargets {
  bool to_real = false;
  bool elsewhere = false;
  bool unresolved = false;
};

// In a program that is linked for a fixed address (Debian's python3) a function whose address it takes has
// that of the program's own PLT entry, for everybody: libraries that hold a pointer to `free` have it too. It
// leads to where the program's slot leads, which is changed like all others.
bool leads_through_program(std::uintptr_t value, const Hook& hook) {
  return g_program.dlpi_phdr != nullptr && is_within(g_program, reinterpret_cast<const void*>(value)) &&
         !is_within(g_program, reinterpret_cast<const void*>(hook.real));
}

SlotTargets classify_slots(const dl_phdr_info& object, const Tables& tables) {
  SlotTargets leads;
  each_slot(object, tables, [&](const std::uintptr_t* slot, const Hook& hook) {
    const std::uintptr_t value = __atomic_load_n(slot, __ATOMIC_RELAXED);
    const bool is_real = value == hook.real || value == hook.ours;
    if (!is_real && (value == 0 || is_within(object, reinterpret_cast<const void*>(value)))) {
      leads.unresolved = true;  // to the library's own stub, until the first call
    } else if (is_real || leads_through_program(value, hook)) {
      leads.to_real = true;
    } else {
      leads.elsewhere = true;
    }
  });
  return leads;
}

// Lets the protected pages be written for as long as it lives.
class Unprotected {
 public:
  explicit Unprotected(const Tables& tables) : tables_(tables) { protect(PROT_READ | PROT_WRITE); }
  ~Unprotected() { protect(PROT_READ); }
  Unprotected(const Unprotected&) = delete;
  Unprotected& operator=(const Unprotected&) = delete;

  [[nodiscard]] bool ok() const { return ok_; }

 private:
  void protect(long protection) {
    if (tables_.relro_begin < tables_.relro_end) {
      ok_ = !failed(system_call(SYS_mprotect, static_cast<long>(tables_.relro_begin),
                                static_cast<long>(tables_.relro_end - tables_.relro_begin), protection));
    }
  }

  const Tables& tables_;
  bool ok_ = true;
};

int patch(dl_phdr_info* object, std::size_t /*bytes*/, void* /*into*/) {
  Tables tables;
  if (is_us(*object) || is_loader(*object) || !read_tables(*object, tables)) {
    return 0;
  }
  const bool is_program = object->dlpi_name == nullptr || object->dlpi_name[0] == 0;
  if (!is_program && !is_relocated(*object, tables)) {
    g_skipped.fetch_add(1, std::memory_order_relaxed);
    return 0;
  }
  const SlotTargets leads = classify_slots(*object, tables);
  if (leads.elsewhere || (!leads.to_real && !leads.unresolved)) {
    return 0;
  }
  const Unprotected pages(tables);
  if (!pages.ok()) {
    return 0;
  }
  each_slot(*object, tables, [&](std::uintptr_t* slot, const Hook& hook) {
    const std::uintptr_t value = __atomic_load_n(slot, __ATOMIC_RELAXED);
    const bool is_unresolved = value != 0 && is_within(*object, reinterpret_cast<const void*>(value));
    if (value == hook.real || (is_unresolved && (leads.to_real || hook.is_the_only_one))) {
      __atomic_store_n(slot, hook.ours, __ATOMIC_RELEASE);
    }
  });
  return 0;
}

int unpatch(dl_phdr_info* object, std::size_t /*bytes*/, void* /*into*/) {
  Tables tables;
  if (is_us(*object) || is_loader(*object) || !read_tables(*object, tables)) {
    return 0;
  }
  bool is_patched = false;
  each_slot(*object, tables, [&](const std::uintptr_t* slot, const Hook& hook) {
    is_patched = is_patched || __atomic_load_n(slot, __ATOMIC_RELAXED) == hook.ours;
  });
  if (!is_patched) {
    return 0;
  }
  const Unprotected pages(tables);
  if (!pages.ok()) {
    return 0;  // then they go on passing through us
  }
  each_slot(*object, tables, [](std::uintptr_t* slot, const Hook& hook) {
    if (__atomic_load_n(slot, __ATOMIC_RELAXED) == hook.ours) {
      __atomic_store_n(slot, hook.real, __ATOMIC_RELEASE);
    }
  });
  return 0;
}

int read_adds(dl_phdr_info* object, std::size_t /*bytes*/, void* into) {
  *static_cast<std::uint64_t*>(into) = object->dlpi_adds;
  return 1;
}

// One at a time: two that change the same page's protection would trip each other up.
// Who comes second leaves it to the next time.
class Turn {
 public:
  Turn() : mine_(g_patching.exchange(1, std::memory_order_acquire) == 0) {}
  ~Turn() {
    if (mine_) {
      g_patching.store(0, std::memory_order_release);
    }
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  explicit operator bool() const { return mine_; }

 private:
  bool mine_;
};

}  // namespace

void patch_all() {
  const Turn turn;
  if (!turn) {
    return;
  }
  if (!g_hooks_ready) {
    fill_hooks();
    dl_iterate_phdr(find_definitions, nullptr);
    unhook_functions_with_foreign_target();
    g_hooks_ready = true;
  }
  std::uint64_t adds = 0;
  dl_iterate_phdr(read_adds, &adds);
  g_skipped.store(0, std::memory_order_relaxed);
  dl_iterate_phdr(patch, nullptr);
  // One that was just being loaded is looked at again.
  g_seen_adds.store(g_skipped.load(std::memory_order_relaxed) == 0 ? adds : 0, std::memory_order_relaxed);
  g_patched.store(true, std::memory_order_release);
}

void patch_new() {
  if (!g_patched.load(std::memory_order_acquire) || is_behind_filter()) {
    return;
  }
  std::uint64_t adds = 0;
  dl_iterate_phdr(read_adds, &adds);
  if (adds != g_seen_adds.load(std::memory_order_relaxed)) {
    patch_all();
  }
}

void unpatch_all() {
  g_patched.store(false, std::memory_order_release);
  for (int tries = 0; tries < 1000; ++tries) {
    const Turn turn;
    if (turn) {
      if (g_hooks_ready) {
        dl_iterate_phdr(unpatch, nullptr);
      }
      return;
    }
    system_call(SYS_sched_yield);
  }
}

}  // namespace lowtide::agent

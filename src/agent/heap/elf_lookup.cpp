#include "agent/heap/elf_lookup.h"

#include "agent/heap/text.h"

namespace lowtide::agent {
namespace {

struct Tables {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const std::uint32_t* gnu_hash = nullptr;
  const std::uint32_t* hash = nullptr;
  const std::uint16_t* versions = nullptr;
};

// glibc turns these values into addresses when it loads an object; other loaders,
// and glibc for the vdso, leave them as offsets.
template <typename T>
const T* table_at(const dl_phdr_info& object, ElfW(Addr) value) {
  if (value < object.dlpi_addr) {
    value += object.dlpi_addr;
  }
  // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are numbers here
  return reinterpret_cast<const T*>(value);
}

Tables tables_of(const dl_phdr_info& object) {
  Tables tables;
  const ElfW(Dyn)* dynamic = nullptr;
  for (int at = 0; at < object.dlpi_phnum; ++at) {
    if (object.dlpi_phdr[at].p_type == PT_DYNAMIC) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are numbers here
      dynamic = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[at].p_vaddr);
    }
  }
  for (; dynamic != nullptr && dynamic->d_tag != DT_NULL; ++dynamic) {
    const ElfW(Addr) value = dynamic->d_un.d_ptr;
    switch (dynamic->d_tag) {
      case DT_SYMTAB:
        tables.symbols = table_at<ElfW(Sym)>(object, value);
        break;
      case DT_STRTAB:
        tables.names = table_at<char>(object, value);
        break;
      case DT_GNU_HASH:
        tables.gnu_hash = table_at<std::uint32_t>(object, value);
        break;
      case DT_HASH:
        tables.hash = table_at<std::uint32_t>(object, value);
        break;
      case DT_VERSYM:
        tables.versions = table_at<std::uint16_t>(object, value);
        break;
      default:
        break;
    }
  }
  return tables;
}

bool matches(const Tables& tables, std::uint32_t index, const char* name) {
  const ElfW(Sym)& symbol = tables.symbols[index];
  constexpr std::uint16_t kHidden = 0x8000;  // an old version, kept for old programs
  if (symbol.st_shndx == SHN_UNDEF || symbol.st_value == 0 ||
      ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC || ELF64_ST_TYPE(symbol.st_info) == STT_TLS) {
    return false;
  }
  if (tables.versions != nullptr && (tables.versions[index] & kHidden) != 0) {
    return false;
  }
  return equal(tables.names + symbol.st_name, name);
}

// 0: not there (index 0 is never a definition).
std::uint32_t find_by_gnu_hash(const Tables& tables, const char* name) {
  std::uint32_t wanted = 5381;
  for (const char* letter = name; *letter != 0; ++letter) {
    wanted = wanted * 33 + static_cast<unsigned char>(*letter);
  }
  const std::uint32_t bucket_count = tables.gnu_hash[0];
  const std::uint32_t first = tables.gnu_hash[1];
  const std::uint32_t bloom_words = tables.gnu_hash[2];
  if (bucket_count == 0) {
    return 0;
  }
  const auto* buckets = tables.gnu_hash + 4 + bloom_words * (sizeof(ElfW(Addr)) / 4);
  const auto* chain = buckets + bucket_count;
  std::uint32_t index = buckets[wanted % bucket_count];
  if (index < first) {
    return 0;
  }
  for (;; ++index) {
    const std::uint32_t found = chain[index - first];
    if ((found | 1U) == (wanted | 1U) && matches(tables, index, name)) {
      return index;
    }
    if ((found & 1U) != 0) {
      return 0;
    }
  }
}

std::uint32_t find_by_hash(const Tables& tables, const char* name) {
  std::uint32_t wanted = 0;
  for (const char* letter = name; *letter != 0; ++letter) {
    wanted = (wanted << 4U) + static_cast<unsigned char>(*letter);
    const std::uint32_t top = wanted & 0xf0000000U;
    wanted = (wanted ^ (top >> 24U)) & ~top;
  }
  const std::uint32_t bucket_count = tables.hash[0];
  const std::uint32_t chain_count = tables.hash[1];
  if (bucket_count == 0) {
    return 0;
  }
  std::uint32_t index = tables.hash[2 + wanted % bucket_count];
  for (std::uint32_t steps = 0; index != 0 && steps < chain_count; ++steps) {
    if (matches(tables, index, name)) {
      return index;
    }
    index = tables.hash[2 + bucket_count + index];
  }
  return 0;
}

}  // namespace

void* find_symbol(const dl_phdr_info& object, const char* name) {
  const Tables tables = tables_of(object);
  if (tables.symbols == nullptr || tables.names == nullptr) {
    return nullptr;
  }
  std::uint32_t index = 0;
  if (tables.gnu_hash != nullptr) {
    index = find_by_gnu_hash(tables, name);
  } else if (tables.hash != nullptr) {
    index = find_by_hash(tables, name);
  }
  if (index == 0) {
    return nullptr;
  }
  // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are numbers here
  return reinterpret_cast<void*>(object.dlpi_addr + tables.symbols[index].st_value);
}

bool is_within(const dl_phdr_info& object, const void* address) {
  const auto wanted = reinterpret_cast<ElfW(Addr)>(address);
  for (int at = 0; at < object.dlpi_phnum; ++at) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[at];
    const ElfW(Addr) begin = object.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && wanted >= begin && wanted < begin + segment.p_memsz) {
      return true;
    }
  }
  return false;
}

}  // namespace lowtide::agent

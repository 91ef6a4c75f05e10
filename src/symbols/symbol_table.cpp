#include "symbols/symbol_table.h"

#include <gelf.h>

#include <algorithm>
#include <limits>

namespace lowtide::symbols {
namespace {

constexpr std::size_t kMostSymbols = 16U << 20U;
// How many symbols that end too early are passed over: functions rarely nest.
constexpr int kMostNested = 16;
// What has no size is assembly by hand, and short.
constexpr std::uint64_t kMostUnsizedBytes = 4096;

bool is_code(Elf* elf, const GElf_Sym& symbol) {
  const auto type = GELF_ST_TYPE(symbol.st_info);
  if (symbol.st_shndx == SHN_UNDEF || symbol.st_value == 0) {
    return false;
  }
  if (type == STT_FUNC || type == STT_GNU_IFUNC) {
    return true;
  }
  if (type != STT_NOTYPE || symbol.st_shndx >= SHN_LORESERVE) {
    return false;
  }
  // Assembly by hand forgets the type: _start, for one.
  Elf_Scn* section = elf_getscn(elf, symbol.st_shndx);
  GElf_Shdr header{};
  return section != nullptr && gelf_getshdr(section, &header) != nullptr &&
         (header.sh_flags & SHF_EXECINSTR) != 0;
}

// "$x", "$d" mark code and data on ARM, ".L4" is a label.
bool is_name(std::string_view name) {
  return !name.empty() && name.front() != '$' && !name.starts_with(".L");
}

std::uint8_t rank_of(const GElf_Sym& symbol, std::string_view name) {
  const auto binding = GELF_ST_BIND(symbol.st_info);
  const unsigned by_binding = binding == STB_GLOBAL ? 0 : (binding == STB_WEAK ? 1 : 2);
  const std::size_t underscores = std::min<std::size_t>(name.find_first_not_of('_'), 3);
  // malloc before __libc_malloc before a local alias; a size before none.
  const bool is_mangled = name.starts_with("_Z") || name.starts_with("_R");
  return static_cast<std::uint8_t>((symbol.st_size == 0 ? 64U : 0U) +
                                   (is_mangled ? 0U : 8U * static_cast<unsigned>(underscores)) + by_binding);
}

}  // namespace

void SymbolTable::add(const ElfFile& file) {
  for (Elf_Scn* section = elf_nextscn(file.handle(), nullptr); section != nullptr;
       section = elf_nextscn(file.handle(), section)) {
    GElf_Shdr header{};
    if (gelf_getshdr(section, &header) != nullptr &&
        (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM)) {
      add_section(file, section);
    }
  }
}

void SymbolTable::add_section(const ElfFile& file, Elf_Scn* section) {
  GElf_Shdr header{};
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || gelf_getshdr(section, &header) == nullptr || header.sh_entsize == 0) {
    return;
  }
  const std::size_t count = std::min<std::size_t>(data->d_size / sizeof(Elf64_Sym), kMostSymbols);
  for (std::size_t index = 0; index < count && symbols_.size() < kMostSymbols; ++index) {
    GElf_Sym symbol{};
    if (gelf_getsym(data, static_cast<int>(index), &symbol) == nullptr || !is_code(file.handle(), symbol)) {
      continue;
    }
    const char* name = elf_strptr(file.handle(), header.sh_link, symbol.st_name);
    if (name == nullptr || !is_name(name)) {
      continue;
    }
    symbols_.push_back({{symbol.st_value, symbol.st_size, name}, rank_of(symbol, name)});
  }
}

void SymbolTable::finish() {
  // Worst first, so that the last of one address is the one to take.
  std::sort(symbols_.begin(), symbols_.end(), [](const Entry& a, const Entry& b) {
    if (a.symbol.address != b.symbol.address) {
      return a.symbol.address < b.symbol.address;
    }
    return a.rank != b.rank ? a.rank > b.rank : a.symbol.name > b.symbol.name;
  });
  // .symtab repeats .dynsym.
  symbols_.erase(std::unique(symbols_.begin(), symbols_.end(),
                             [](const Entry& a, const Entry& b) {
                               return a.symbol.address == b.symbol.address && a.symbol.name == b.symbol.name;
                             }),
                 symbols_.end());
  symbols_.shrink_to_fit();
}

std::optional<Symbol> SymbolTable::find(std::uint64_t address) const {
  auto at = std::upper_bound(
      symbols_.begin(), symbols_.end(), address,
      [](std::uint64_t wanted, const Entry& entry) { return wanted < entry.symbol.address; });
  std::optional<Symbol> unsized;
  for (int passed = 0; at != symbols_.begin() && passed < kMostNested; ++passed) {
    --at;
    const Symbol& symbol = at->symbol;
    if (symbol.size_bytes > address - symbol.address) {
      return symbol;
    }
    if (symbol.size_bytes == 0 && !unsized && address - symbol.address < kMostUnsizedBytes) {
      unsized = symbol;
    }
    if (symbol.size_bytes != 0 && unsized) {
      break;  // what has no size reaches only to the next, and nothing holds it
    }
  }
  return unsized;
}

}  // namespace lowtide::symbols

#include "symbols/symbol_table.h"

#include <gelf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string_view>
#include <tuple>

namespace lowtide::symbols {
namespace {

// A key is an address of 40 bits, a source of 2, and a symbol of 22: libtorch_cuda has half a million.
constexpr unsigned kNumberBits = 22;
constexpr unsigned kSourceBits = 2;
constexpr unsigned kAddressShift = kNumberBits + kSourceBits;
constexpr std::uint64_t kMostSymbols = std::uint64_t{1} << kNumberBits;
constexpr std::size_t kMostSources = std::size_t{1} << kSourceBits;
constexpr std::uint64_t kMostAddress = std::uint64_t{1} << (64 - kAddressShift);
// How many symbols that end too early are passed over: functions rarely nest.
constexpr int kMostNested = 16;
// What has no size is assembly by hand, and short.
constexpr std::uint64_t kMostUnsizedBytes = 4096;
constexpr std::size_t kMostNameBytes = 65536;
constexpr std::size_t kMostSections = 65536;

std::uint64_t address_of(std::uint64_t key) {
  return key >> kAddressShift;
}

std::vector<bool> find_code_sections(Elf* elf) {
  std::vector<bool> is_code;
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr && is_code.size() < kMostSections;
       section = elf_nextscn(elf, section)) {
    GElf_Shdr header{};
    is_code.resize(elf_ndxscn(section) + 1, false);
    is_code.back() = gelf_getshdr(section, &header) != nullptr && (header.sh_flags & SHF_EXECINSTR) != 0;
  }
  return is_code;
}

bool is_function(const Elf64_Sym& symbol, const std::vector<bool>& is_code_section) {
  const auto type = ELF64_ST_TYPE(symbol.st_info);
  if (symbol.st_shndx == SHN_UNDEF || symbol.st_value == 0 || symbol.st_value >= kMostAddress) {
    return false;
  }
  if (type == STT_FUNC || type == STT_GNU_IFUNC) {
    return true;
  }
  // Assembly by hand forgets the type: _start, for one.
  return type == STT_NOTYPE && symbol.st_shndx < is_code_section.size() && is_code_section[symbol.st_shndx];
}

// "$x", "$d" mark code and data on ARM, ".L4" is a label.
bool is_name(std::string_view name) {
  return !name.empty() && name.front() != '$' && !name.starts_with(".L");
}

// malloc before __libc_malloc before a local alias.
unsigned rank_of(unsigned char info, std::string_view name) {
  const auto binding = ELF64_ST_BIND(info);
  const unsigned by_binding = binding == STB_GLOBAL ? 0 : (binding == STB_WEAK ? 1 : 2);
  const bool is_mangled = name.starts_with("_Z") || name.starts_with("_R");
  const auto underscores = static_cast<unsigned>(std::min<std::size_t>(name.find_first_not_of('_'), 3));
  return (is_mangled ? 0U : 8U * underscores) + by_binding;
}

}  // namespace

struct SymbolTable::Candidate {
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  unsigned char info = 0;
  std::string name;
};

// Ends where the file was cut.
template <typename Visit>
void SymbolTable::each_symbol(const Source& source, Visit visit) {
  std::array<Elf64_Sym, 1024> symbols{};
  for (std::uint64_t first = 0; first < source.count; first += symbols.size()) {
    const std::size_t count = std::min<std::uint64_t>(symbols.size(), source.count - first);
    if (!source.file->read_file(source.offset_bytes + first * sizeof(Elf64_Sym),
                                std::as_writable_bytes(std::span(symbols).first(count)))) {
      return;
    }
    for (std::size_t at = 0; at < count; ++at) {
      visit(first + at, symbols[at]);
    }
  }
}

void SymbolTable::add(const ElfFile& file) {
  Elf* elf = file.handle();
  std::optional<Source> of_linker;  // .symtab
  std::optional<Source> of_loader;  // .dynsym, which .symtab repeats
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr;
       section = elf_nextscn(elf, section)) {
    GElf_Shdr header{};
    GElf_Shdr names{};
    if (gelf_getshdr(section, &header) == nullptr ||
        (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM) ||
        header.sh_entsize != sizeof(Elf64_Sym) ||
        gelf_getshdr(elf_getscn(elf, header.sh_link), &names) == nullptr) {
      continue;
    }
    (header.sh_type == SHT_SYMTAB ? of_linker : of_loader) =
        Source{&file, header.sh_offset, std::min(header.sh_size / sizeof(Elf64_Sym), kMostSymbols),
               names.sh_offset, names.sh_size};
  }
  const auto& source = of_linker ? of_linker : of_loader;
  if (source && sources_.size() < kMostSources) {
    add_section(*source, find_code_sections(elf));
  }
}

// Twice: a table that grows takes three times its size on the way.
void SymbolTable::add_section(const Source& source, const std::vector<bool>& is_code_section) {
  const std::uint64_t number_of_source = sources_.size();
  sources_.push_back(source);
  std::size_t functions = 0;
  each_symbol(source, [&](std::uint64_t /*number*/, const Elf64_Sym& symbol) {
    functions += is_function(symbol, is_code_section) ? 1U : 0U;
  });
  keys_.reserve(keys_.size() + functions);
  each_symbol(source, [&](std::uint64_t number, const Elf64_Sym& symbol) {
    if (is_function(symbol, is_code_section) && keys_.size() < keys_.capacity()) {
      keys_.push_back(symbol.st_value << kAddressShift | number_of_source << kNumberBits | number);
    }
  });
}

void SymbolTable::finish() {
  std::sort(keys_.begin(), keys_.end());
}

std::optional<SymbolTable::Candidate> SymbolTable::read(std::uint64_t key) const {
  const Source& source = sources_[key >> kNumberBits & (kMostSources - 1)];
  Elf64_Sym symbol{};
  if (!source.file->read_file(source.offset_bytes + (key & (kMostSymbols - 1)) * sizeof(symbol),
                              std::as_writable_bytes(std::span(&symbol, 1)))) {
    return std::nullopt;
  }
  std::string name = read_name(source, symbol.st_name);
  if (!is_name(name)) {
    return std::nullopt;
  }
  return Candidate{address_of(key), symbol.st_size, symbol.st_info, std::move(name)};
}

std::string SymbolTable::read_name(const Source& source, std::uint32_t at) const {
  constexpr std::size_t kPiece = 256;
  std::string name;
  for (std::uint64_t next = at; next < source.names_bytes && name.size() < kMostNameBytes; next += kPiece) {
    std::array<char, kPiece> piece{};
    const std::size_t count = std::min<std::uint64_t>(kPiece, source.names_bytes - next);
    if (!source.file->read_file(source.names_offset_bytes + next,
                                std::as_writable_bytes(std::span(piece).first(count)))) {
      return {};
    }
    const std::size_t length = ::strnlen(piece.data(), count);
    name.append(piece.data(), length);
    if (length < count) {
      return name;
    }
  }
  return {};  // it does not end
}

Symbol SymbolTable::choose(std::vector<Candidate>& candidates) const {
  auto best =
      std::min_element(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
        return std::tuple(rank_of(a.info, a.name), std::string_view(a.name)) <
               std::tuple(rank_of(b.info, b.name), std::string_view(b.name));
      });
  return {best->address, best->size_bytes, std::move(best->name)};
}

std::optional<Symbol> SymbolTable::find(std::uint64_t address) const {
  if (address >= kMostAddress - 1) {
    return std::nullopt;
  }
  auto at = std::lower_bound(keys_.begin(), keys_.end(), (address + 1) << kAddressShift);
  std::vector<Candidate> unsized;
  for (int passed = 0; at != keys_.begin() && passed < kMostNested;) {
    // All that begin at one place.
    const std::uint64_t begin = address_of(*std::prev(at));
    std::vector<Candidate> holding;
    bool has_ended = false;
    for (; at != keys_.begin() && address_of(*std::prev(at)) == begin && passed < kMostNested;
         --at, ++passed) {
      auto candidate = read(*std::prev(at));
      if (!candidate) {
        continue;
      }
      if (candidate->size_bytes > address - begin) {
        holding.push_back(std::move(*candidate));
      } else if (candidate->size_bytes != 0) {
        has_ended = true;
      } else if (address - begin < kMostUnsizedBytes &&
                 (unsized.empty() || unsized.front().address == begin)) {
        unsized.push_back(std::move(*candidate));
      }
    }
    if (!holding.empty()) {
      return choose(holding);
    }
    if (has_ended && !unsized.empty()) {
      break;  // what has no size reaches only to the next, and nothing holds it
    }
  }
  return unsized.empty() ? std::nullopt : std::optional(choose(unsized));
}

}  // namespace lowtide::symbols

#include "attach/elf_names.h"

#include <gelf.h>

#include <algorithm>

namespace lowtide::attach {
namespace {

constexpr std::size_t kMostSymbols = 1U << 20U;

void add_functions(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, std::vector<ExportedFunction>& into) {
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr) {
    return;
  }
  const std::size_t count = std::min<std::size_t>(data->d_size / sizeof(Elf64_Sym), kMostSymbols);
  for (std::size_t index = 0; index < count; ++index) {
    GElf_Sym symbol{};
    if (gelf_getsym(data, static_cast<int>(index), &symbol) == nullptr || symbol.st_shndx == SHN_UNDEF ||
        symbol.st_value == 0 || GELF_ST_TYPE(symbol.st_info) != STT_FUNC) {
      continue;
    }
    if (const char* name = elf_strptr(elf, header.sh_link, symbol.st_name)) {
      into.push_back({symbol.st_value, symbol.st_size, name});
    }
  }
}

template <typename Wanted>
std::optional<GElf_Phdr> find_header(const symbols::ElfFile& file, Wanted wanted) {
  std::size_t count = 0;
  if (elf_getphdrnum(file.handle(), &count) != 0) {
    return std::nullopt;
  }
  for (std::size_t index = 0; index < count; ++index) {
    GElf_Phdr header{};
    if (gelf_getphdr(file.handle(), static_cast<int>(index), &header) != nullptr && wanted(header)) {
      return header;
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<ExportedFunction> read_exports(const symbols::ElfFile& file) {
  std::vector<ExportedFunction> exports;
  for (Elf_Scn* section = elf_nextscn(file.handle(), nullptr); section != nullptr;
       section = elf_nextscn(file.handle(), section)) {
    GElf_Shdr header{};
    if (gelf_getshdr(section, &header) != nullptr && header.sh_type == SHT_DYNSYM) {
      add_functions(file.handle(), section, header, exports);
    }
  }
  std::sort(exports.begin(), exports.end(),
            [](const ExportedFunction& a, const ExportedFunction& b) { return a.address < b.address; });
  return exports;
}

std::optional<std::uint64_t> find_export(const std::vector<ExportedFunction>& exports,
                                         std::string_view name) {
  const auto found = std::find_if(exports.begin(), exports.end(),
                                  [name](const ExportedFunction& function) { return function.name == name; });
  return found == exports.end() ? std::nullopt : std::optional(found->address);
}

std::optional<std::uint64_t> find_segment_end(const symbols::ElfFile& file, std::uint64_t address) {
  // From the page on in which it begins: the end of what lies before it is in that page of the file too, and
  // its address would be another.
  const auto segment = find_header(file, [address](const GElf_Phdr& header) {
    const std::uint64_t begin = header.p_vaddr - (header.p_align > 1 ? header.p_vaddr % header.p_align : 0);
    return header.p_type == PT_LOAD && (header.p_flags & PF_X) != 0 && address >= begin &&
           address - begin < header.p_vaddr - begin + header.p_memsz;
  });
  return segment ? std::optional(segment->p_vaddr + segment->p_memsz) : std::nullopt;
}

}  // namespace lowtide::attach

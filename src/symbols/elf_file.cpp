#include "symbols/elf_file.h"

#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace lowtide::symbols {
namespace {

// libtorch_cuda with everything in it has 4 GB.
constexpr std::uint64_t kMostFileBytes = std::uint64_t{64} << 30U;
constexpr std::size_t kMostSegments = 4096;

base::Error malformed(const char* what) {
  return {base::ErrorCode::Malformed, what};
}

// libelf notes in the section's header, where that lies, that it has unpacked a section.
bool has_packed_sections(Elf* elf) {
  std::size_t names = 0;
  if (elf == nullptr || elf_getshdrstrndx(elf, &names) != 0) {
    return false;
  }
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr;
       section = elf_nextscn(elf, section)) {
    GElf_Shdr header{};
    if (gelf_getshdr(section, &header) == nullptr) {
      continue;
    }
    const char* name = elf_strptr(elf, names, header.sh_name);
    if ((header.sh_flags & SHF_COMPRESSED) != 0 ||
        (name != nullptr && std::string_view(name).starts_with(".zdebug"))) {
      return true;
    }
  }
  return false;
}

std::uint64_t page_bytes() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

std::string to_hex(const BuildId& build_id) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : build_id) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

void ElfFile::Close::operator()(Elf* elf) const {
  elf_end(elf);
}

base::Result<ElfFile> ElfFile::open(base::Fd fd) {
  struct stat status {};
  if (!fd.valid() || ::fstat(fd.get(), &status) != 0) {
    return base::Error{base::ErrorCode::Io, "the status of the file cannot be read"};
  }
  if (!S_ISREG(status.st_mode)) {
    return base::Error{base::ErrorCode::Unsupported, "not a regular file"};
  }
  if (static_cast<std::uint64_t>(status.st_size) > kMostFileBytes) {
    return base::Error{base::ErrorCode::Unsupported, "the file is too large"};
  }
  elf_version(EV_CURRENT);
  ElfFile file;
  file.fd_ = std::move(fd);
  file.mapped_ = MappedFile::map(file.fd_.get(), static_cast<std::size_t>(status.st_size));
  if (file.mapped_) {
    file.elf_.reset(elf_memory(file.mapped_->begin(), file.mapped_->bytes()));
  }
  if (!file.mapped_ || has_packed_sections(file.elf_.get())) {
    file.elf_.reset(elf_begin(file.fd_.get(), ELF_C_READ, nullptr));
    file.mapped_.reset();
  }
  auto looked = file.look();
  if (!looked) {
    return std::move(looked).error();
  }
  return file;
}

base::Result<ElfFile> ElfFile::open(std::vector<std::byte> bytes) {
  elf_version(EV_CURRENT);
  ElfFile file;
  file.bytes_ = std::make_unique<std::vector<std::byte>>(std::move(bytes));
  if (file.bytes_->empty()) {
    return malformed("an empty file");
  }
  file.elf_.reset(elf_memory(reinterpret_cast<char*>(file.bytes_->data()), file.bytes_->size()));
  auto looked = file.look();
  if (!looked) {
    return std::move(looked).error();
  }
  return file;
}

base::Result<bool> ElfFile::look() {
  GElf_Ehdr header{};
  if (elf_ == nullptr || elf_kind(elf_.get()) != ELF_K_ELF || gelf_getehdr(elf_.get(), &header) == nullptr) {
    return malformed("not an ELF file");
  }
  if (gelf_getclass(elf_.get()) != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
    return base::Error{base::ErrorCode::Unsupported, "not a 64-bit little-endian ELF file"};
  }
  if (header.e_machine == EM_X86_64) {
    arch_ = Arch::Amd64;
  } else if (header.e_machine == EM_AARCH64) {
    arch_ = Arch::Aarch64;
  }
  std::size_t count = 0;
  if (elf_getphdrnum(elf_.get(), &count) != 0) {
    return malformed("the program headers are not in the file");
  }
  for (std::size_t index = 0; index < std::min(count, kMostSegments); ++index) {
    GElf_Phdr segment{};
    if (gelf_getphdr(elf_.get(), static_cast<int>(index), &segment) != nullptr && segment.p_type == PT_LOAD) {
      segments_.push_back({segment.p_vaddr, segment.p_offset, segment.p_filesz,
                           std::clamp<std::uint64_t>(segment.p_align, 1, page_bytes()),
                           (segment.p_flags & PF_X) != 0});
    }
  }
  const void* id = nullptr;
  const std::ptrdiff_t id_bytes = dwelf_elf_gnu_build_id(elf_.get(), &id);
  if (id_bytes > 0 && static_cast<std::size_t>(id_bytes) <= kMostBuildIdBytes) {
    const auto* first = static_cast<const std::uint8_t*>(id);
    build_id_.assign(first, first + id_bytes);
  }
  return true;
}

std::optional<std::uint64_t> ElfFile::address_of(std::uint64_t file_offset_bytes) const {
  for (const Segment& segment : segments_) {
    // A mapping begins with the page in which its segment begins.
    const std::uint64_t before = segment.file_offset_bytes % segment.align_bytes;
    if (segment.executable && before <= segment.address &&
        file_offset_bytes >= segment.file_offset_bytes - before &&
        file_offset_bytes - (segment.file_offset_bytes - before) < before + segment.file_bytes) {
      return segment.address - before + (file_offset_bytes - (segment.file_offset_bytes - before));
    }
  }
  for (const Segment& segment : segments_) {
    if (file_offset_bytes >= segment.file_offset_bytes &&
        file_offset_bytes - segment.file_offset_bytes < segment.file_bytes) {
      return segment.address + (file_offset_bytes - segment.file_offset_bytes);
    }
  }
  return std::nullopt;
}

bool ElfFile::read(std::uint64_t address, std::span<std::byte> into) const {
  for (const Segment& segment : segments_) {
    const std::uint64_t inside = address - segment.address;
    if (address < segment.address || inside >= segment.file_bytes ||
        into.size() > segment.file_bytes - inside) {
      continue;
    }
    const std::uint64_t offset = segment.file_offset_bytes + inside;
    return offset >= inside && read_file(offset, into);
  }
  return false;
}

bool ElfFile::read_file(std::uint64_t offset_bytes, std::span<std::byte> into) const {
  if (offset_bytes > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max())) {
    return false;
  }
  if (bytes_ == nullptr) {
    return ::pread(fd_.get(), into.data(), into.size(), static_cast<off_t>(offset_bytes)) ==
           static_cast<ssize_t>(into.size());
  }
  if (offset_bytes > bytes_->size() || into.size() > bytes_->size() - offset_bytes) {
    return false;
  }
  std::memcpy(into.data(), bytes_->data() + offset_bytes, into.size());
  return true;
}

void ElfFile::give_back() const {
  if (mapped_) {
    mapped_->give_back();
  }
}

Elf_Scn* ElfFile::find_section(std::string_view name) const {
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf_.get(), &names) != 0) {
    return nullptr;
  }
  for (Elf_Scn* section = elf_nextscn(elf_.get(), nullptr); section != nullptr;
       section = elf_nextscn(elf_.get(), section)) {
    GElf_Shdr header{};
    if (gelf_getshdr(section, &header) == nullptr) {
      continue;
    }
    const char* found = elf_strptr(elf_.get(), names, header.sh_name);
    if (found != nullptr && name == found) {
      return section;
    }
  }
  return nullptr;
}

std::span<const std::byte> ElfFile::section_bytes(Elf_Scn* section) const {
  GElf_Shdr header{};
  if (section == nullptr || gelf_getshdr(section, &header) == nullptr || header.sh_type == SHT_NOBITS) {
    return {};
  }
  const Elf_Data* data = elf_rawdata(section, nullptr);
  if (data == nullptr || data->d_buf == nullptr) {
    return {};
  }
  return {static_cast<const std::byte*>(data->d_buf), data->d_size};
}

std::uint64_t ElfFile::debug_bytes() const {
  std::size_t names = 0;
  std::uint64_t sum_bytes = 0;
  if (elf_getshdrstrndx(elf_.get(), &names) != 0) {
    return 0;
  }
  for (Elf_Scn* section = elf_nextscn(elf_.get(), nullptr); section != nullptr;
       section = elf_nextscn(elf_.get(), section)) {
    GElf_Shdr header{};
    const char* name =
        gelf_getshdr(section, &header) == nullptr ? nullptr : elf_strptr(elf_.get(), names, header.sh_name);
    if (name == nullptr || header.sh_type == SHT_NOBITS || !std::string_view(name).starts_with(".debug_")) {
      continue;
    }
    GElf_Chdr compressed{};
    const bool is_compressed =
        (header.sh_flags & SHF_COMPRESSED) != 0 && gelf_getchdr(section, &compressed) != nullptr;
    const std::uint64_t bytes = is_compressed ? compressed.ch_size : header.sh_size;
    sum_bytes = sum_bytes > kMostFileBytes || bytes > kMostFileBytes ? 2 * kMostFileBytes : sum_bytes + bytes;
  }
  return sum_bytes;
}

}  // namespace lowtide::symbols

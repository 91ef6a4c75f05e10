#include "symbols/mapped_build_id.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "base/fd.h"

namespace lowtide::symbols {
namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::uint64_t kMostNoteBytes = 16384;
constexpr std::string_view kOwner("GNU\0", 4);

template <typename Record>
std::optional<Record> record_at(std::span<const std::byte> bytes, std::uint64_t offset) {
  Record record{};
  if (offset > bytes.size() || sizeof record > bytes.size() - offset) {
    return std::nullopt;
  }
  std::memcpy(&record, bytes.data() + offset, sizeof record);
  return record;
}

std::uint64_t round_up(std::uint64_t value) {
  return (value + 3U) & ~std::uint64_t{3};
}

bool read_memory(int fd, std::uint64_t address, std::span<std::byte> into) {
  return ::pread(fd, into.data(), into.size(), static_cast<off_t>(address)) ==
         static_cast<ssize_t>(into.size());
}

}  // namespace

std::vector<NoteRange> parse_note_ranges(std::span<const std::byte> head) {
  std::vector<NoteRange> ranges;
  const auto header = record_at<Elf64_Ehdr>(head, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_phentsize != sizeof(Elf64_Phdr)) {
    return ranges;
  }
  std::optional<std::uint64_t> base;
  for (std::uint64_t index = 0; index < header->e_phnum; ++index) {
    const auto segment = record_at<Elf64_Phdr>(head, header->e_phoff + index * sizeof(Elf64_Phdr));
    if (!segment) {
      break;
    }
    if (segment->p_type == PT_LOAD && !base) {
      base = segment->p_vaddr - segment->p_offset;
    }
    if (segment->p_type == PT_NOTE) {
      ranges.push_back({segment->p_vaddr, std::min<std::uint64_t>(segment->p_memsz, kMostNoteBytes)});
    }
  }
  for (NoteRange& range : ranges) {
    range.offset_bytes -= base.value_or(0);
  }
  return ranges;
}

std::optional<BuildId> parse_build_id(std::span<const std::byte> notes) {
  std::uint64_t at = 0;
  while (const auto note = record_at<Elf64_Nhdr>(notes, at)) {
    const std::uint64_t name = at + sizeof *note;
    const std::uint64_t content = name + round_up(note->n_namesz);
    const std::uint64_t next = content + round_up(note->n_descsz);
    if (content > notes.size() || note->n_descsz > notes.size() - content) {
      return std::nullopt;
    }
    if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == kOwner.size() &&
        std::memcmp(notes.data() + name, kOwner.data(), kOwner.size()) == 0 && note->n_descsz > 0 &&
        note->n_descsz <= kMostBuildIdBytes) {
      const auto* first = reinterpret_cast<const std::uint8_t*>(notes.data() + content);
      return BuildId(first, first + note->n_descsz);
    }
    at = next;
  }
  return std::nullopt;
}

std::optional<BuildId> read_mapped_build_id(const TargetFiles& files, std::uint64_t start) {
  const base::Fd fd(::open(fmt::format("{}/{}/mem", files.proc, files.pid).c_str(), O_RDONLY | O_CLOEXEC));
  std::array<std::byte, kPageBytes> head{};
  if (!fd.valid() || !read_memory(fd.get(), start, head)) {
    return std::nullopt;
  }
  for (const NoteRange& range : parse_note_ranges(head)) {
    std::vector<std::byte> notes(range.size_bytes);
    if (read_memory(fd.get(), start + range.offset_bytes, notes)) {
      if (auto build_id = parse_build_id(notes)) {
        return build_id;
      }
    }
  }
  return std::nullopt;
}

}  // namespace lowtide::symbols

#include "symbols/mapped_build_id.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

namespace lowtide::symbols {
namespace {

std::vector<std::byte> make_note(std::uint32_t name_bytes, std::uint32_t content_bytes, std::uint32_t type,
                                 const char* name) {
  const Elf64_Nhdr header{name_bytes, content_bytes, type};
  std::vector<std::byte> note(sizeof header + 4 + 4);
  std::memcpy(note.data(), &header, sizeof header);
  std::memcpy(note.data() + sizeof header, name, 4);
  note[sizeof header + 4] = std::byte{0xab};
  return note;
}

TEST(MappedBuildId, is_found_behind_other_notes) {
  std::vector<std::byte> notes = make_note(4, 4, NT_GNU_ABI_TAG, "GNU");
  const std::vector<std::byte> second = make_note(4, 2, NT_GNU_BUILD_ID, "GNU");
  notes.insert(notes.end(), second.begin(), second.end());

  const auto build_id = parse_build_id(notes);

  ASSERT_TRUE(build_id);
  EXPECT_EQ(*build_id, (BuildId{0xab, 0x00}));
}

TEST(MappedBuildId, note_that_is_longer_than_what_is_there_is_none) {
  EXPECT_FALSE(parse_build_id(make_note(4, 4000, NT_GNU_BUILD_ID, "GNU")));
  EXPECT_FALSE(parse_build_id(make_note(0xffffffff, 4, NT_GNU_BUILD_ID, "GNU")));
  EXPECT_FALSE(parse_build_id(make_note(4, 4, NT_GNU_BUILD_ID, "XYZ")));
  EXPECT_FALSE(parse_build_id({}));
}

TEST(MappedBuildId, head_that_is_no_elf_has_no_notes) {
  const std::vector<std::byte> zeros(4096);
  std::vector<std::byte> short_head(10);
  std::memcpy(short_head.data(), ELFMAG, SELFMAG);

  EXPECT_TRUE(parse_note_ranges(zeros).empty());
  EXPECT_TRUE(parse_note_ranges(short_head).empty());
}

TEST(MappedBuildId, program_headers_outside_of_the_head_are_not_read) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 0xffff;
  header.e_phoff = ~std::uint64_t{55};
  std::vector<std::byte> head(4096);
  std::memcpy(head.data(), &header, sizeof header);

  EXPECT_TRUE(parse_note_ranges(head).empty());
}

}  // namespace
}  // namespace lowtide::symbols

#include "symbols/elf_image.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "symbols/demangle.h"
#include "symbols/test_files.h"

namespace lowtide::symbols {
namespace {

using ::testing::EndsWith;

std::unique_ptr<ElfImage> open_image(const std::string& path) {
  auto file = ElfFile::open(open_regular(path));
  EXPECT_TRUE(file) << path;
  return file ? std::make_unique<ElfImage>(std::move(file).value(), path,
                                           TargetFiles{.pid = static_cast<std::int32_t>(::getpid())})
              : nullptr;
}

// The address of a function, by the table of a file that has one.
std::uint64_t address_of(const std::string& path, std::string_view name) {
  auto file = ElfFile::open(open_regular(path));
  SymbolTable table;
  table.add(file.value());
  table.finish();
  for (std::uint64_t address = 0; address < 0x10000; ++address) {
    const auto symbol = table.find(address);
    if (symbol && symbol->name == name) {
      return symbol->address;
    }
  }
  ADD_FAILURE() << name;
  return 0;
}

TEST(ElfImage, function_is_found_at_its_first_and_last_byte) {
  const auto image = open_image(kFiles + "/plain.so");
  const std::uint64_t area = address_of(kFiles + "/plain.so", "_ZN6shapes4areaEi");

  const auto frames = image->find_frames(area);

  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].function, "shapes::area(int)");
  EXPECT_EQ(frames[0].module, kFiles + "/plain.so");
  EXPECT_EQ(frames[0].module_offset, area);
  EXPECT_TRUE(frames[0].file.empty());
  EXPECT_NE(image->find_frames(area - 1)[0].function, "shapes::area(int)");
}

TEST(ElfImage, debuginfo_names_inlined_calls_with_their_lines) {
  const auto image = open_image(kFiles + "/debug.so");
  const std::uint64_t area = address_of(kFiles + "/debug.so", "_ZN6shapes4areaEi");
  std::vector<SourceFrame> frames;

  // The store of the innermost is somewhere in the first instructions.
  for (std::uint64_t at = area; at < area + 32 && frames.size() < 3; ++at) {
    frames = image->find_frames(at);
  }

  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(frames[0].function, "shapes::inner_inlined(int)");
  EXPECT_EQ(frames[0].line, 9U);
  EXPECT_TRUE(frames[0].is_inlined);
  EXPECT_EQ(frames[1].function, "shapes::outer_inlined(int)");
  EXPECT_EQ(frames[1].line, 13U);
  EXPECT_EQ(frames[2].function, "shapes::area(int)");
  EXPECT_EQ(frames[2].line, 19U);
  EXPECT_FALSE(frames[2].is_inlined);
  EXPECT_THAT(frames[2].file, EndsWith("test_code.cpp"));
}

TEST(ElfImage, debuginfo_beside_a_stripped_file_is_found_by_its_link) {
  const auto image = open_image(kFiles + "/linked.so");
  const std::uint64_t hidden = address_of(kFiles + "/debug.so", "code_hidden");

  const auto frames = image->find_frames(hidden);

  EXPECT_THAT(frames.back().function, ::testing::StartsWith("code_hidden"));
  EXPECT_THAT(frames.back().file, EndsWith("test_code.cpp"));
  EXPECT_EQ(image->build_id(), open_image(kFiles + "/debug.so")->build_id());
}

TEST(ElfImage, small_symbol_table_of_a_stripped_file_is_unpacked) {
  const auto image = open_image(kFiles + "/mini.so");
  const std::uint64_t hidden = address_of(kFiles + "/plain.so", "code_hidden");

  EXPECT_THAT(image->find_frames(hidden).back().function, ::testing::StartsWith("code_hidden"));
}

TEST(ElfImage, stripped_file_names_what_it_exports_and_gives_an_offset_for_the_rest) {
  const auto image = open_image(kFiles + "/stripped.so");
  const std::uint64_t hidden = address_of(kFiles + "/plain.so", "code_hidden");
  const std::uint64_t exported = address_of(kFiles + "/stripped.so", "code_plain");

  EXPECT_EQ(image->find_frames(exported).back().function, "code_plain");
  const SourceFrame unknown = image->find_frames(hidden).back();
  EXPECT_EQ(unknown.function, "");
  EXPECT_THAT(to_text(unknown), ::testing::StartsWith("stripped.so+0x"));
}

TEST(ElfImage, static_program_has_the_addresses_it_was_linked_for) {
  const auto image = open_image(kFiles + "/subject_static");

  const auto address = image->file().address_of(0x1000);

  ASSERT_TRUE(address);
  EXPECT_GE(*address, 0x400000U);
  EXPECT_GT(image->symbol_count(), 100U);
}

// lld lets a segment begin in the page of the file in which the one before it ends, one page further in
// memory.
TEST(ElfFile, code_that_shares_a_page_of_the_file_has_its_own_address) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_phoff = sizeof(header);
  header.e_ehsize = sizeof(header);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 2;
  Elf64_Phdr segments[2] = {};
  segments[0] = {PT_LOAD, PF_R, 0, 0, 0, 0x17dc, 0x17dc, 0x1000};
  segments[1] = {PT_LOAD, PF_R | PF_X, 0x1800, 0x2800, 0x2800, 0x900, 0x900, 0x1000};
  std::vector<std::byte> bytes(0x3000);
  std::memcpy(bytes.data(), &header, sizeof(header));
  std::memcpy(bytes.data() + sizeof(header), segments, sizeof(segments));

  const auto file = ElfFile::open(std::move(bytes));

  ASSERT_TRUE(file);
  EXPECT_EQ(file.value().address_of(0x1000), 0x2000U);
  EXPECT_EQ(file.value().address_of(0x1800), 0x2800U);
  EXPECT_EQ(file.value().address_of(0x20ff), 0x30ffU);
  EXPECT_EQ(file.value().address_of(0x2100), std::nullopt);
  EXPECT_EQ(file.value().address_of(0x100), 0x100U);
}

TEST(Demangle, names_that_are_not_cxx_stay_as_they_are) {
  EXPECT_EQ(demangle("_ZN2at5emptyEv"), "at::empty()");
  EXPECT_EQ(demangle("f"), "f");
  EXPECT_EQ(demangle("_RNvC1a1b"), "_RNvC1a1b");
  EXPECT_EQ(demangle("_Z"), "_Z");
  EXPECT_EQ(demangle("_Z" + std::string(100000, 'P')), "_Z" + std::string(100000, 'P'));
}

TEST(SourceFrame, text_from_a_file_cannot_steer_the_terminal) {
  SourceFrame frame;
  frame.function = "evil\x1b[2J";
  frame.module = "/tmp/a\nb.so";

  EXPECT_EQ(to_text(frame).find('\x1b'), std::string::npos);
  EXPECT_EQ(to_text(frame).find('\n'), std::string::npos);
}

}  // namespace
}  // namespace lowtide::symbols

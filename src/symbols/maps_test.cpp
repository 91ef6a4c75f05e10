#include "symbols/maps.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace lowtide::symbols {
namespace {

Mapping parse_one(const std::string& line) {
  const auto mappings = parse_maps(line + "\n");
  EXPECT_TRUE(mappings) << line;
  return mappings ? mappings.value().front() : Mapping{};
}

TEST(Maps, all_fields_of_a_mapped_library_are_read) {
  const Mapping mapping = parse_one(
      "7f2c4a428000-7f2c4a57d000 r-xp 00026000 fe:01 1835113                    /usr/lib/libc.so.6");

  EXPECT_EQ(mapping.start, 0x7f2c4a428000U);
  EXPECT_EQ(mapping.end, 0x7f2c4a57d000U);
  EXPECT_EQ(mapping.file_offset_bytes, 0x26000U);
  EXPECT_EQ(mapping.device_major, 0xfeU);
  EXPECT_EQ(mapping.device_minor, 1U);
  EXPECT_EQ(mapping.inode, 1835113U);
  EXPECT_EQ(mapping.kind, MappingKind::File);
  EXPECT_TRUE(mapping.readable);
  EXPECT_TRUE(mapping.executable);
  EXPECT_FALSE(mapping.deleted);
  EXPECT_EQ(mapping.path, "/usr/lib/libc.so.6");
}

TEST(Maps, deleted_file_is_marked_and_keeps_its_name) {
  const Mapping mapping = parse_one("1000-2000 r-xp 00000000 08:01 77 /tmp/lib one.so (deleted)");

  EXPECT_TRUE(mapping.deleted);
  EXPECT_EQ(mapping.path, "/tmp/lib one.so");
}

TEST(Maps, newline_in_a_name_is_restored) {
  const Mapping mapping = parse_one(R"(1000-2000 r-xp 00000000 08:01 77 /tmp/a\012b\c.so)");

  EXPECT_EQ(mapping.path, "/tmp/a\nb\\c.so");
}

TEST(Maps, what_is_no_file_is_distinguished) {
  EXPECT_EQ(parse_one("1000-2000 r-xp 00000000 00:00 0      [vdso]").kind, MappingKind::Vdso);
  EXPECT_EQ(parse_one("1000-2000 rwxp 00000000 00:00 0 ").kind, MappingKind::Anonymous);
  EXPECT_EQ(parse_one("1000-2000 rw-p 00000000 00:00 0  [heap]").kind, MappingKind::Anonymous);
  EXPECT_EQ(parse_one("1000-2000 rw-p 00000000 00:00 0  [anon:/etc/passwd]").kind, MappingKind::Anonymous);
  const Mapping memfd = parse_one("1000-2000 r-xs 00000000 00:01 2055 /memfd:jit code (deleted)");
  EXPECT_EQ(memfd.kind, MappingKind::Memfd);
  EXPECT_EQ(memfd.path, "/memfd:jit code");
}

TEST(Maps, lines_that_make_no_sense_are_left_out) {
  const auto mappings = parse_maps(
      "nonsense\n2000-1000 r-xp 0 0:0 1 /backwards\n1000-2000 r-xp 0 0:0 1 /good\n1000\n-\n"
      "99999999999999999999-a r-xp 0 0:0 1 /x\n1800-2800 r-xp 0 0:0 1 /overlaps");

  ASSERT_TRUE(mappings);
  ASSERT_EQ(mappings.value().size(), 1U);
  EXPECT_EQ(mappings.value().front().path, "/good");
}

TEST(Maps, text_without_a_mapping_is_an_error) {
  EXPECT_FALSE(parse_maps(""));
  EXPECT_FALSE(parse_maps(std::string(100000, '\0')));
}

TEST(Maps, address_is_found_in_the_mapping_that_holds_it_and_in_no_other) {
  const auto mappings = parse_maps("1000-2000 r-xp 0 0:0 1 /a\n3000-4000 r-xp 0 0:0 1 /b\n");

  ASSERT_TRUE(mappings);
  EXPECT_EQ(find_mapping(mappings.value(), 0xfff), nullptr);
  EXPECT_EQ(find_mapping(mappings.value(), 0x1000)->path, "/a");
  EXPECT_EQ(find_mapping(mappings.value(), 0x1fff)->path, "/a");
  EXPECT_EQ(find_mapping(mappings.value(), 0x2000), nullptr);
  EXPECT_EQ(find_mapping(mappings.value(), 0x3fff)->path, "/b");
  EXPECT_EQ(find_mapping(mappings.value(), 0x4000), nullptr);
}

TEST(Maps, own_code_is_found_in_the_real_maps) {
  const auto text = read_maps_text("/proc", static_cast<std::int32_t>(::getpid()));

  ASSERT_TRUE(text);
  const auto mappings = parse_maps(text.value());
  ASSERT_TRUE(mappings);
  const Mapping* own = find_mapping(mappings.value(), reinterpret_cast<std::uint64_t>(&parse_maps));
  ASSERT_NE(own, nullptr);
  EXPECT_TRUE(own->executable);
  EXPECT_EQ(own->kind, MappingKind::File);
}

TEST(Maps, vanished_process_is_gone) {
  const auto text = read_maps_text("/proc", 0x7ffffff0);

  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, base::ErrorCode::Gone);
}

}  // namespace
}  // namespace lowtide::symbols

// Files cut short and mangled: any answer is right but a crash.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <random>

#include "symbols/elf_image.h"
#include "symbols/maps.h"

// elfutils 0.188 forgets what it allocated where a file turns out to be broken.
// NOLINTNEXTLINE(readability-identifier-naming): the sanitizer wants it by that name
extern "C" const char* __lsan_default_suppressions();
// NOLINTNEXTLINE(readability-identifier-naming): as above
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libdw\nleak:libelf\n";
}

namespace lowtide::symbols {
namespace {

std::vector<std::byte> read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::vector<std::byte> bytes(text.size());
  std::transform(text.begin(), text.end(), bytes.begin(),
                 [](char byte) { return static_cast<std::byte>(byte); });
  return bytes;
}

// Everything that is asked of an image. Gives how many files were opened at all.
int exercise(std::vector<std::byte> bytes) {
  auto file = ElfFile::open(std::move(bytes));
  if (!file) {
    EXPECT_FALSE(file.error().message.empty());
    return 0;
  }
  ElfImage image(std::move(file).value(), "/mangled",
                 TargetFiles{.pid = static_cast<std::int32_t>(::getpid())});
  for (const std::uint64_t address : {0x0U, 0x1000U, 0x1100U, 0x1110U, 0x1130U, 0x2000U, 0xffffffffU}) {
    EXPECT_FALSE(image.find_frames(address).empty());
    (void)image.make_rule(address);
  }
  return 1;
}

class HostileElf : public ::testing::TestWithParam<const char*> {};

TEST_P(HostileElf, file_that_is_cut_short_is_survived) {
  const std::vector<std::byte> whole = read_bytes(std::string(LOWTIDE_TEST_FILES) + "/" + GetParam());
  ASSERT_EQ(exercise(whole), 1);

  for (std::size_t length = 0; length < whole.size(); length += 1 + length / 16) {
    exercise({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)});
  }
}

TEST_P(HostileElf, file_with_wrong_bytes_is_survived) {
  const std::vector<std::byte> whole = read_bytes(std::string(LOWTIDE_TEST_FILES) + "/" + GetParam());
  ASSERT_FALSE(whole.empty());
  int opened = 0;

  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::vector<std::byte> bytes = whole;
    // Half of the time the headers at both ends, where a byte changes most.
    const std::size_t reach = seed % 2 == 0 ? bytes.size() : std::min<std::size_t>(bytes.size(), 2048);
    for (std::uint32_t change = 0; change <= seed % 32; ++change) {
      const std::size_t at = random() % reach;
      bytes[seed % 4 == 1 ? bytes.size() - 1 - at : at] = static_cast<std::byte>(random());
    }
    opened += exercise(std::move(bytes));
  }

  EXPECT_GT(opened, 0);
}

INSTANTIATE_TEST_SUITE_P(Files, HostileElf, ::testing::Values("plain.so", "debug.so", "mini.so", "linked.so"),
                         [](const auto& file) {
                           const std::string name = file.param;
                           return name.substr(0, name.find('.'));
                         });

TEST(HostileFiles, what_is_no_regular_file_is_not_opened) {
  EXPECT_FALSE(open_regular("/dev/zero").valid());
  EXPECT_FALSE(open_regular("/").valid());
  EXPECT_FALSE(open_regular("/nowhere/at/all").valid());
  EXPECT_FALSE(ElfFile::open(base::Fd{}));
  EXPECT_FALSE(ElfFile::open(open_regular("/proc/self/maps")));
}

}  // namespace
}  // namespace lowtide::symbols

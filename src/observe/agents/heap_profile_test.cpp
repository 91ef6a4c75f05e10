#include "observe/agents/heap_profile.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace lowtide::observe {
namespace {

std::vector<std::byte> recorded(const char* name) {
  std::ifstream file(std::string(LOWTIDE_RECORDED) + "/" + name, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

// Of a job on an H200 that kept 100 activations of 2 MiB (JAX 0.11.2), as client.heap_profile() returned it.
TEST(HeapProfile, of_an_h200_has_the_line_that_made_the_arrays) {
  const std::vector<ProfiledLine> lines = read_heap_profile(recorded("jax_h200.pprof"));

  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines[0].device, "cuda:0");
  EXPECT_TRUE(lines[0].file.ends_with("/jjob.py")) << lines[0].file;
  EXPECT_EQ(lines[0].line, 13U);
  EXPECT_EQ(lines[0].function, "<module>");
  EXPECT_EQ(lines[0].bytes, 100U << 21U);
  EXPECT_EQ(lines[0].buffers, 100U);
}

TEST(HeapProfile, sums_all_buffers) {
  std::uint64_t sum = 0;
  for (const ProfiledLine& line : read_heap_profile(recorded("jax_h200.pprof"))) sum += line.bytes;

  EXPECT_EQ(sum, (100U << 21U) + (2U << 20U) + (16U << 20U)) << "what was kept, x and w";
}

TEST(HeapProfile, that_is_cut_or_garbled_gives_what_makes_sense) {
  const std::vector<std::byte> whole = recorded("jax_h200.pprof");
  ASSERT_GT(whole.size(), 1000U);
  for (std::size_t bytes = 0; bytes < whole.size(); bytes += 7) {
    std::vector<std::byte> garbled(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(bytes));
    if (bytes > 20) garbled[bytes / 2] ^= std::byte{0xff};
    for (const ProfiledLine& line : read_heap_profile(garbled)) EXPECT_GT(line.bytes, 0U);
  }
  EXPECT_TRUE(read_heap_profile({}).empty());
}

}  // namespace
}  // namespace lowtide::observe

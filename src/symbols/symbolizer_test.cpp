#include "symbols/symbolizer.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbols/test_calls.h"

namespace lowtide::symbols {
namespace {

class SymbolizerOfSelf : public ::testing::Test {
 protected:
  SymbolizerOfSelf() : space_(store_, {.pid = static_cast<std::int32_t>(::getpid())}) {
    EXPECT_TRUE(space_.refresh());
  }

  ImageStore store_;
  AddressSpace space_;
  Symbolizer symbolizer_;
};

TEST_F(SymbolizerOfSelf, function_is_named_and_known_the_second_time) {
  const auto address = reinterpret_cast<std::uint64_t>(&calls_outer);

  const auto* first = &symbolizer_.symbolize(space_, address);
  const auto* second = &symbolizer_.symbolize(space_, address);

  EXPECT_EQ(first->back().function, "calls_outer");
  EXPECT_EQ(first, second);
}

TEST_F(SymbolizerOfSelf, address_without_code_is_given_as_a_number) {
  const auto& frames = symbolizer_.symbolize(space_, 0x10);

  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(to_text(frames[0]), "0x10");
}

TEST_F(SymbolizerOfSelf, code_from_a_compiler_at_run_time_is_an_address_with_no_name) {
  void* page = ::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  ASSERT_TRUE(space_.refresh());
  const auto address = reinterpret_cast<std::uint64_t>(page) + 16;

  const auto& frames = symbolizer_.symbolize(space_, address);

  EXPECT_EQ(frames[0].function, "");
  EXPECT_EQ(frames[0].module_offset, address);
  ::munmap(page, 4096);
}

TEST_F(SymbolizerOfSelf, stack_is_named_from_the_inside_out) {
  const auto outer = reinterpret_cast<std::uint64_t>(&calls_outer);
  const auto deep = reinterpret_cast<std::uint64_t>(&calls_deep);

  const auto frames = symbolizer_.symbolize(space_, std::vector<std::uint64_t>{outer, deep});

  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].function, "calls_outer");
  EXPECT_EQ(frames[1].function, "calls_deep");
}

}  // namespace
}  // namespace lowtide::symbols

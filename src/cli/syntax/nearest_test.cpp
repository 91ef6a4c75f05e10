#include "cli/syntax/nearest.h"

#include <gtest/gtest.h>

namespace lowtide::cli {
namespace {

TEST(Nearest, swapped_neighbours_are_one_slip) {
  EXPECT_EQ(edit_distance("anaylze", "analyze"), 1U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
}

TEST(Nearest, slip_finds_the_word) {
  EXPECT_EQ(find_nearest("analyse", {"analyze", "completion"}), "analyze");
  EXPECT_EQ(find_nearest("ana", {"analyze", "completion"}), "analyze");
}

TEST(Nearest, something_else_finds_nothing) {
  EXPECT_EQ(find_nearest("frobnicate", {"analyze", "completion"}), std::nullopt);
  EXPECT_EQ(find_nearest("", {"analyze"}), std::nullopt);
}

}  // namespace
}  // namespace lowtide::cli

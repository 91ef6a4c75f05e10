#include "show/terminal/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lowtide::show {
namespace {

using ::testing::ElementsAre;

TEST(Layout, width_is_what_a_terminal_shows) {
  EXPECT_EQ(display_width("plain"), 5U);
  EXPECT_EQ(display_width("→ é"), 3U);
  EXPECT_EQ(display_width("内存"), 4U);
  EXPECT_EQ(display_width("e\u0301"), 1U);
  EXPECT_EQ(display_width("\xE5"), 1U);  // a character that breaks off
}

TEST(Layout, padding_counts_columns_not_bytes) {
  EXPECT_EQ(pad_right("→", 3), "→  ");
  EXPECT_EQ(pad_left("内", 3), " 内");
  EXPECT_EQ(pad_left("long", 2), "long");
}

TEST(Layout, cutting_ends_in_dots_and_never_splits_a_character) {
  EXPECT_EQ(cut("abcdefgh", 6), "abc...");
  EXPECT_EQ(cut("内存内存", 6), "内...");
  EXPECT_EQ(cut("short", 6), "short");
}

TEST(Layout, text_is_wrapped_at_spaces_and_long_words_are_cut) {
  EXPECT_THAT(wrap("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(wrap("abcdefgh ij", 4), ElementsAre("abcd", "efgh", "ij"));
  EXPECT_THAT(wrap("", 10), ElementsAre(""));
}

TEST(Layout, last_cell_of_a_row_is_wrapped_under_itself) {
  const auto lines = table({{"a", "one two three four five six seven"}}, 30);

  EXPECT_THAT(lines, ElementsAre("a  one two three four five six", "   seven"));
}

}  // namespace
}  // namespace lowtide::show

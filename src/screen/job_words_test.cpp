#include "screen/job_words.h"

#include <gtest/gtest.h>

namespace lowtide::screen {
namespace {

using Lines = std::vector<std::string>;

TEST(JobWords, are_the_last_lines_oldest_first) {
  EXPECT_EQ(last_lines("a\nb\nc\n", 2), (Lines{"b", "c"}));
  EXPECT_EQ(last_lines("a\nb", 5), (Lines{"a", "b"}));
  EXPECT_EQ(last_lines("a\n\nb\n", 5), (Lines{"a", "", "b"}));
  EXPECT_EQ(last_lines("", 5), Lines{});
  EXPECT_EQ(last_lines("a", 0), Lines{});
}

TEST(JobWords, of_a_progress_bar_are_its_last_state) {
  EXPECT_EQ(last_lines("start\n 10%|#\r 20%|##\r 30%|###", 5), (Lines{"start", " 30%|###"}));
  EXPECT_EQ(last_lines("done\r\n", 5), (Lines{"done"}));
}

TEST(JobWords, have_no_escape_sequences) {
  EXPECT_EQ(last_lines("\x1b[1;31mred\x1b[0m", 5), (Lines{"red"}));
  EXPECT_EQ(last_lines("\x1b]0;a title\aafter", 5), (Lines{"after"}));
  EXPECT_EQ(last_lines("\x1b]8;;http://evil\x1b\\link", 5), (Lines{"link"}));
  EXPECT_EQ(last_lines("\x1bPq payload\x1b\\x\x1b(By", 5), (Lines{"xBy"}));
  EXPECT_EQ(last_lines("cut \x1b[3", 5), (Lines{"cut "}));
  EXPECT_EQ(last_lines("c1 \x9b\x33\x31m bell \a", 5), (Lines{"c1 \xEF\xBF\xBD"
                                                              "31m bell ?"}));
}

}  // namespace
}  // namespace lowtide::screen

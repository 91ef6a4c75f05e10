#include "cli/help.h"

#include <gtest/gtest.h>

#include "cli/exit_codes.h"

namespace lowtide::cli {
namespace {

TEST(Help, every_verb_has_a_summary_and_examples) {
  for (const Command& command : commands()) {
    EXPECT_FALSE(command.summary.empty()) << command.name;
    EXPECT_FALSE(command.examples.empty()) << command.name;
    EXPECT_NE(find_exits(command.name), nullptr) << command.name;
    EXPECT_NE(overview().find(command.name), std::string::npos);
  }
}

TEST(Help, every_flag_is_in_the_help_and_in_the_manual) {
  for (const Command& command : commands()) {
    for (const console::FlagText& flag : command.flags) {
      EXPECT_NE(help_of(command).find("--" + std::string(flag.name)), std::string::npos);
      EXPECT_FALSE(flag.help.empty());
    }
  }
  EXPECT_EQ(man_page().find(".TH LOWTIDE 1"), 0U);
}

TEST(Help, no_line_is_wider_than_eighty_columns) {
  for (const Command& command : commands()) {
    const std::string text = help_of(command);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      EXPECT_LE(end - at, 80U) << text.substr(at, end - at);
      at = end + 1;
    }
  }
}

}  // namespace
}  // namespace lowtide::cli

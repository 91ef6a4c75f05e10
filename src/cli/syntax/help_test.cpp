#include "cli/syntax/help.h"

#include <gtest/gtest.h>

#include "cli/syntax/exit_codes.h"

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

TEST(Help, a_flag_with_fixed_values_lists_them) {
  for (const Command& command : commands()) {
    const std::string text = help_of(command);
    for (const console::FlagText& flag : command.flags) {
      const std::size_t start = text.find("--" + std::string(flag.name) + " ");
      const std::string row = text.substr(start, text.find("\n  --", start) - start);
      for (const std::string_view choice : flag.choices) {
        EXPECT_NE(row.find(choice), std::string::npos) << command.name << " --" << flag.name << " " << choice;
      }
    }
  }
}

TEST(Help, every_form_of_a_command_is_a_line_of_the_synopsis) {
  const std::string synopsis = man_page().substr(0, man_page().find(".SH COMMANDS"));
  const std::size_t first = synopsis.find("\n.B lowtide check ");
  const std::size_t second = synopsis.find("\n.B lowtide check ", first + 1);

  EXPECT_NE(first, std::string::npos) << synopsis;
  EXPECT_NE(second, std::string::npos) << synopsis;
  EXPECT_EQ(synopsis.find("\n "), std::string::npos) << synopsis;
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

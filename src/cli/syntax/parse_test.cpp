#include "cli/syntax/parse.h"

#include <gtest/gtest.h>

namespace lowtide::cli {
namespace {

std::variant<Arguments, HelpWanted, console::UserError> parse_analyze(std::vector<std::string> words) {
  return parse_arguments(*find_command("analyze"), words);
}

TEST(Parse, flags_and_files_may_be_mixed) {
  const auto parsed = parse_analyze({"a.log", "--limit", "32G", "--json", "b.log", "-"});

  ASSERT_TRUE(std::holds_alternative<Arguments>(parsed));
  const auto& arguments = std::get<Arguments>(parsed);
  EXPECT_EQ(arguments.flags.at("limit"), "32G");
  EXPECT_TRUE(arguments.flags.contains("json"));
  EXPECT_FALSE(arguments.flags.contains("markdown"));
  EXPECT_EQ(arguments.words.positionals, (std::vector<std::string>{"a.log", "b.log", "-"}));
}

TEST(Parse, standard_input_is_a_value_too) {
  const auto parsed = parse_analyze({"--series", "-", "--json"});

  ASSERT_TRUE(std::holds_alternative<Arguments>(parsed));
  EXPECT_EQ(std::get<Arguments>(parsed).flags.at("series"), "-");
}

TEST(Parse, unknown_option_names_the_nearest) {
  const auto parsed = parse_analyze({"--jsno", "a.log"});

  ASSERT_TRUE(std::holds_alternative<console::UserError>(parsed));
  EXPECT_EQ(std::get<console::UserError>(parsed).why, "the nearest option is --json");
}

TEST(Parse, missing_value_and_wrong_choice_are_refused) {
  EXPECT_TRUE(std::holds_alternative<console::UserError>(parse_analyze({"a.log", "--limit"})));
  EXPECT_TRUE(std::holds_alternative<console::UserError>(parse_analyze({"a.log", "--color", "pink"})));
}

TEST(Parse, help_is_wanted_wherever_it_stands) {
  EXPECT_TRUE(std::holds_alternative<HelpWanted>(parse_analyze({"a.log", "--help"})));
  EXPECT_TRUE(std::holds_alternative<HelpWanted>(parse_analyze({"-h"})));
}

TEST(Parse, word_too_many_is_refused) {
  const auto parsed = parse_arguments(*find_command("completion"), std::vector<std::string>{"bash", "zsh"});

  EXPECT_TRUE(std::holds_alternative<console::UserError>(parsed));
}

}  // namespace
}  // namespace lowtide::cli

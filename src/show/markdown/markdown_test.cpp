#include "show/markdown/markdown.h"

#include <gtest/gtest.h>

namespace lowtide::show {
namespace {

TEST(Markdown, text_from_outside_starts_no_markup) {
  EXPECT_EQ(markdown_text("a|b `c` *d* _e_"), "a\\|b \\`c\\` \\*d\\* \\_e\\_");
  EXPECT_EQ(markdown_text("<script>&"), "&lt;script&gt;&amp;");
  EXPECT_EQ(markdown_text("[x](http://e.vil) ![i]"), "\\[x\\](http&#58;//e.vil) \\!\\[i\\]");
  EXPECT_EQ(markdown_text("www.e.vil @all"), "www&#46;e.vil &#64;all");
  EXPECT_EQ(markdown_text("line\none"), "line?one");
}

TEST(Markdown, names_in_backticks_are_code) {
  EXPECT_EQ(markdown_sentence("`store.queries` grew by 3_000 items"),
            "`store.queries` grew by 3\\_000 items");
  EXPECT_EQ(markdown_sentence("remove `a_b` or `c[*]`"), "remove `a_b` or `c[*]`");
  EXPECT_EQ(markdown_sentence("no code, [x](y)"), "no code, \\[x\\](y)");
}

// What is outside of a pair of backticks is escaped, however the text pairs them.
TEST(Markdown, backticks_of_a_hostile_name_start_no_markup) {
  EXPECT_EQ(markdown_sentence("held by `a`[x](http://e.vil)`b`"), "held by `a`\\[x\\](http&#58;//e.vil)`b`");
  EXPECT_EQ(markdown_sentence("`` <b> `"), "\\`\\` &lt;b&gt; \\`");
  EXPECT_EQ(markdown_sentence("```\n# x"), "\\`\\`\\`?\\# x");
  EXPECT_EQ(markdown_sentence("`a``[x]` *b*"), "\\`a\\`\\`\\[x\\]\\` \\*b\\*");
  EXPECT_EQ(markdown_sentence("one ` alone @all"), "one \\` alone &#64;all");
}

}  // namespace
}  // namespace lowtide::show

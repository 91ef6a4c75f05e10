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

}  // namespace
}  // namespace lowtide::show

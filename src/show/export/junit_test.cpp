#include "show/export/junit.h"

#include <gtest/gtest.h>

#include "show/markup.h"

namespace lowtide::show {
namespace {

TEST(Junit, text_of_the_target_stays_text_in_xml) {
  EXPECT_EQ(markup_text("<a b=\"c\">'&]]>"), "&lt;a b=&quot;c&quot;&gt;&#39;&amp;]]&gt;");
}

TEST(Junit, bytes_that_xml_cannot_hold_are_replaced) {
  const std::string text = markup_text(std::string("a\0b\x1b\x07\xff", 6));

  EXPECT_EQ(text.find('\0'), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\xff'), std::string::npos);
}

}  // namespace
}  // namespace lowtide::show

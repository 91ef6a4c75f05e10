#include "show/terminal/unpaint.h"

#include <gtest/gtest.h>

namespace lowtide::show {
namespace {

TEST(Unpaint, gives_back_what_was_painted) {
  const Paint paint(true);
  const std::string text = "a " + paint(Role::Leak, "b") + paint(Role::Dim, "c") + " d";

  const std::vector<Piece> expected{
      {Role::Plain, "a "}, {Role::Leak, "b"}, {Role::Dim, "c"}, {Role::Plain, " d"}};
  EXPECT_EQ(unpaint(text), expected);
}

TEST(Unpaint, every_role_has_a_way_back) {
  for (int at = 0; at <= static_cast<int>(Role::Limit); ++at) {
    const auto role = static_cast<Role>(at);
    EXPECT_EQ(unpaint(Paint(true)(role, "x")), (std::vector<Piece>{{role, "x"}}));
  }
}

TEST(Unpaint, a_foreign_sequence_is_left_out) {
  EXPECT_EQ(unpaint("a\x1b[5;47mb"), (std::vector<Piece>{{Role::Plain, "a"}, {Role::Plain, "b"}}));
  EXPECT_EQ(unpaint("a\x1b[31"), (std::vector<Piece>{{Role::Plain, "a"}}));
  EXPECT_TRUE(unpaint("").empty());
}

}  // namespace
}  // namespace lowtide::show

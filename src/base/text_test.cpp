#include "base/text.h"

#include <gtest/gtest.h>

namespace lowtide::base {
namespace {

TEST(Printable, plain_text_and_umlauts_stay) {
  EXPECT_EQ(printable("Schritt 10: Gr\xC3\xB6\xC3\x9F"
                      "e"),
            "Schritt 10: Gr\xC3\xB6\xC3\x9F"
            "e");
}

TEST(Printable, escape_sequences_cannot_reach_the_terminal) {
  EXPECT_EQ(printable("\x1B[2J\x1B]0;owned\x07"
                      "a\nb\rc"),
            "?[2J?]0;owned?a?b?c");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "?31m");  // the one-character form of ESC [
}

TEST(Printable, bytes_that_are_not_utf8_are_shown_as_such) {
  EXPECT_EQ(printable("a\xFF"
                      "b\xC0\xAF"),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Printable, direction_overrides_are_dropped) {
  EXPECT_EQ(printable("a\xE2\x80\xAE"
                      "b"),
            "ab");
}

TEST(Printable, invisible_marks_are_dropped_and_joiners_of_letters_stay) {
  EXPECT_EQ(printable("a\xE2\x80\x8B\xD8\x9C"
                      "b"),
            "ab");
  EXPECT_EQ(printable("\xE2\x80\x8D"), "\xE2\x80\x8D");
}

TEST(EscapeInvisible, invisible_characters_of_json_become_escapes) {
  EXPECT_EQ(escape_invisible("{\"a\": \"\xC2\x9B"
                             "31m\xE2\x80\xAE\xD8\x9C\x7F\"}"),
            "{\"a\": \"\\u009b31m\\u202e\\u061c\\u007f\"}");
  EXPECT_EQ(escape_invisible("\"\xF3\xA0\x81\xA1\""), "\"\\udb40\\udc61\"");  // a tag, a pair in JSON
}

TEST(EscapeInvisible, what_is_visible_stays) {
  const std::string json = "{\n\t\"Gr\xC3\xB6\xC3\x9F\": \"\xE2\x82\xAC \xF0\x9F\x98\x80\"\n}";

  EXPECT_EQ(escape_invisible(json), json);
}

TEST(Printable, long_text_is_cut_at_a_character) {
  EXPECT_EQ(printable("abcdef", 3), "abc...");
  EXPECT_EQ(printable("\xC3\xB6\xC3\xB6\xC3\xB6", 3), "\xC3\xB6\xC3\xB6...");
}

}  // namespace
}  // namespace lowtide::base

#include "attach/remote_script.h"

#include <gtest/gtest.h>

#include "attach/interpreter.h"

namespace lowtide::attach {
namespace {

TEST(RemoteScript, no_path_can_end_the_text_that_it_is_in) {
  EXPECT_EQ(quote_bytes("/tmp/a b"), "b'/tmp/a b'");
  EXPECT_EQ(quote_bytes("a'b\\c\nd\"{}"), R"(b'a\x27b\x5cc\x0ad"{}')");
  EXPECT_EQ(quote_bytes("\xc3\xa9\xff\x7f"), R"(b'\xc3\xa9\xff\x7f')");
}

TEST(RemoteScript, text_is_ascii_and_has_what_it_needs) {
  const std::string text = to_python({.path = "/tmp/x\xff'/look.py",
                                      .answer_path = "/tmp/x/answer",
                                      .deadline_s = 1234567.8909,
                                      .agent_path = "/lib/agent.so",
                                      .function = "function",
                                      .order = "a\n1"});
  for (const char letter : text) EXPECT_TRUE(letter == '\n' || (letter >= ' ' && letter <= '~'));
  // Quoted twice: the thread's part is a text within the text.
  EXPECT_NE(text.find(R"(script = b\x27/tmp/x\x5cxff\x5cx27/look.py\x27\x0a)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"(deadline = 1234567.891\x0a)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"(order = b\x27a\x5cx0a1\x27\x0a)"), std::string::npos) << text;
}

TEST(RemoteScript, answer_is_read_line_by_line_and_not_believed) {
  EXPECT_FALSE(parse_answer("begu").has_begun);
  EXPECT_TRUE(parse_answer("begun\nresult 12").has_begun);
  EXPECT_FALSE(parse_answer("begun\nresult 12").result);
  EXPECT_EQ(parse_answer("begun\nresult 1234\n").result, 1234);
  EXPECT_EQ(parse_answer("begun\nresult -5\n").result, -5);
  EXPECT_FALSE(parse_answer("result 99999999999999\nresult x\nresult \n\n").result);
  EXPECT_EQ(parse_answer("begun\nerror OSError: no\n").error, "OSError: no");
}

TEST(Interpreter, version_is_in_the_name) {
  EXPECT_EQ(find_minor_version("python3.14"), 14);
  EXPECT_EQ(find_minor_version("python3.9"), 9);
  EXPECT_EQ(find_minor_version("libpython3.14.so.1.0"), 14);
  EXPECT_EQ(find_minor_version("python3.14t"), 14);
  EXPECT_FALSE(find_minor_version("python3"));
  EXPECT_FALSE(find_minor_version("python3.x"));
  EXPECT_FALSE(find_minor_version("pypy3.11"));
}

}  // namespace
}  // namespace lowtide::attach

#include "cli/input/line_reader.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace lowtide::cli {
namespace {

TEST(LineReader, last_line_needs_no_end) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "one\n\ntwo", 8), 8);
  ::close(ends[1]);

  LineReader reader(ends[0]);

  EXPECT_EQ(reader.next(), LineReader::Status::Line);
  EXPECT_EQ(reader.line(), "one");
  EXPECT_EQ(reader.next(), LineReader::Status::Line);
  EXPECT_EQ(reader.line(), "");
  EXPECT_EQ(reader.next(), LineReader::Status::Line);
  EXPECT_EQ(reader.line(), "two");
  EXPECT_EQ(reader.next(), LineReader::Status::End);
  ::close(ends[0]);
}

TEST(LineReader, what_cannot_be_read_is_reported) {
  LineReader reader(-1);

  EXPECT_EQ(reader.next(), LineReader::Status::Failed);
  EXPECT_EQ(reader.error(), EBADF);
}

}  // namespace
}  // namespace lowtide::cli

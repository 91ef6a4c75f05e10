#include "cli/output/output.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "base/testing/temp_folder.h"

namespace lowtide::cli {
namespace {

TEST(Output, a_file_that_was_written_is_confirmed_with_its_size) {
  const std::string path = base::temp_folder() + "output_test.html";
  const auto written = write_file(path, std::string(191'200, 'x'));
  ASSERT_TRUE(std::holds_alternative<std::monostate>(written));

  EXPECT_EQ(wrote_line(path), "wrote " + path + " (191 kB)\n");
  std::remove(path.c_str());
}

TEST(Output, the_confirmation_of_a_device_has_no_size) {
  EXPECT_EQ(wrote_line("/dev/null"), "wrote /dev/null\n");
}

TEST(Output, the_confirmation_contains_no_escape_sequence) {
  EXPECT_EQ(wrote_line("a\x1b[31mb").find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace lowtide::cli

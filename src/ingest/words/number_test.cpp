#include "ingest/words/number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace lowtide::ingest {
namespace {

double value_of(std::string_view text, bool decimal_comma = false) {
  const NumberText number = scan_number(text, decimal_comma);
  return number.length == 0 ? std::nan("") : read_number(text.substr(0, number.length), number.form);
}

TEST(a_number, is_read_in_all_its_forms) {
  EXPECT_EQ(value_of("5552"), 5552);
  EXPECT_EQ(value_of("5,552"), 5552);
  EXPECT_EQ(value_of("15,552"), 15552);
  EXPECT_EQ(value_of("1,234,567.5"), 1234567.5);
  EXPECT_EQ(value_of("0.2"), 0.2);
  EXPECT_EQ(value_of("5552.25"), 5552.25);
  EXPECT_EQ(value_of("6816.88818359375"), 6816.88818359375);
  EXPECT_EQ(value_of("1.5e-04"), 1.5e-04);
  EXPECT_EQ(value_of("123456789"), 123456789);
  EXPECT_EQ(value_of("5552,25", true), 5552.25);
}

TEST(a_number, of_any_length_is_read_as_the_library_reads_it) {
  std::string digits;
  for (int length = 1; length <= 30; ++length) {
    digits += static_cast<char>('0' + (length * 7) % 10);
    EXPECT_EQ(value_of(digits), std::stod(digits)) << digits;
    for (std::size_t point = 1; point < digits.size(); ++point) {
      const std::string decimal = digits.substr(0, point) + "." + digits.substr(point);
      EXPECT_DOUBLE_EQ(value_of(decimal), std::stod(decimal)) << decimal;
    }
  }
}

TEST(a_comma, without_three_digits_after_it_ends_the_number) {
  EXPECT_EQ(value_of("10,55"), 10);
  EXPECT_EQ(value_of("10,5555"), 10);
  EXPECT_EQ(value_of("1234,567"), 1234);
}

TEST(a_number, too_large_for_a_double_is_infinite) {
  EXPECT_TRUE(std::isinf(value_of("1e999")));
  EXPECT_EQ(value_of("1e-999"), 0);
  EXPECT_TRUE(std::isinf(value_of(std::string(1000, '9'))));
}

}  // namespace
}  // namespace lowtide::ingest

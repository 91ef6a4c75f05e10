#include "base/units.h"

#include <gtest/gtest.h>

#include <limits>

namespace lowtide::base {
namespace {

TEST(FormatBytes, keeps_three_digits_and_names_the_unit) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(92'160), "92.2 kB");
  EXPECT_EQ(format_bytes(5.8e6), "5.80 MB");
  EXPECT_EQ(format_bytes(17.437e9), "17.4 GB");
  EXPECT_EQ(format_bytes(-1.5e9), "-1.50 GB");
  EXPECT_EQ(format_bytes(1.2e15), "1200 TB");
}

TEST(FormatBytes, a_value_that_rounds_up_moves_to_the_next_unit) {
  EXPECT_EQ(format_bytes(999'999'999), "1.00 GB");
  EXPECT_EQ(format_bytes(999.4e6), "999 MB");
}

TEST(FormatLimit, round_limits_are_printed_as_they_were_given) {
  EXPECT_EQ(format_limit(32ULL << 30U), "32 GiB");
  EXPECT_EQ(format_limit(512ULL << 20U), "512 MiB");
  EXPECT_EQ(format_limit(17'400'000'000ULL), "17.4 GB");
}

TEST(FormatSeconds, picks_the_unit_a_person_would) {
  EXPECT_EQ(format_seconds(0.085), "85 ms");
  EXPECT_EQ(format_seconds(12), "12.0 s");
  EXPECT_EQ(format_seconds(390), "6.5 min");
  EXPECT_EQ(format_seconds(6'678), "1.9 h");
  EXPECT_EQ(format_seconds(11'520), "3.2 h");
  EXPECT_EQ(format_seconds(354'240), "4.1 days");
}

TEST(FormatCount, groups_by_thousands) {
  EXPECT_EQ(format_count(7), "7");
  EXPECT_EQ(format_count(1'234'567), "1,234,567");
}

TEST(ToBytes, what_no_count_can_be_is_the_nearest_that_can) {
  EXPECT_EQ(to_bytes(17.6), 18U);
  EXPECT_EQ(to_bytes(-1.0), 0U);
  EXPECT_EQ(to_bytes(std::numeric_limits<double>::quiet_NaN()), 0U);
  EXPECT_EQ(to_bytes(0x1p64), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(to_bytes(0x1p63), std::uint64_t{1} << 63U);
}

TEST(ParseSize, a_bare_letter_is_a_power_of_1024_and_B_makes_it_1000) {
  EXPECT_EQ(parse_size("32G").value(), 32ULL << 30);
  EXPECT_EQ(parse_size("32GiB").value(), 32ULL << 30);
  EXPECT_EQ(parse_size("17.5GB").value(), 17'500'000'000ULL);
  EXPECT_EQ(parse_size("1,024 kB").value(), 1'024'000ULL);
  EXPECT_EQ(parse_size("4096").value(), 4096ULL);
}

TEST(ParseSize, refuses_what_is_not_a_size) {
  for (const char* text : {"", "G", "12X", "-3G", "1.2.3G", "9999999999999999999T", "12 G B", "inf"}) {
    EXPECT_FALSE(parse_size(text).ok()) << text;
  }
}

TEST(FormatShare, is_whole_only_for_all_of_it) {
  EXPECT_EQ(format_share(0), "0%");
  EXPECT_EQ(format_share(-0.2), "0%");
  EXPECT_EQ(format_share(0.126), "13%");
  EXPECT_EQ(format_share(0.994), "99%");
  EXPECT_EQ(format_share(0.996), ">99%");
  EXPECT_EQ(format_share(1), "100%");
  EXPECT_EQ(format_share(7), "100%");
}

TEST(ParseCount, reads_counts_as_people_write_them) {
  EXPECT_EQ(parse_count("663").value(), 663);
  EXPECT_EQ(parse_count("2,048").value(), 2048);
  EXPECT_EQ(parse_count("350M").value(), 350e6);
  EXPECT_EQ(parse_count("3B").value(), 3e9);
  EXPECT_EQ(parse_count(" 1.5 t ").value(), 1.5e12);
}

TEST(ParseCount, refuses_what_is_no_count) {
  for (const char* text : {"", "-1", "3GB", "3 apples", "B", "1.2.3", "nan", "inf", "0x10", "3B3"}) {
    EXPECT_FALSE(parse_count(text).ok()) << text;
  }
}

}  // namespace
}  // namespace lowtide::base

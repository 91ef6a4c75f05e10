#include "cli/input/series_line.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lowtide::cli {
namespace {

TEST(SeriesLine, megabytes_are_millions_of_bytes_and_time_counts_from_the_first_reading) {
  const auto line =
      parse_series_line(R"({"id": "a", "t": [100, 101.5], "step": [1, null], "rss_mb": [5552, 0.5]})");

  ASSERT_TRUE(line.ok());
  const SeriesLine& series = line.value();
  EXPECT_EQ(series.id_json, "\"a\"");
  ASSERT_EQ(series.samples.size(), 2U);
  EXPECT_EQ(series.samples[0].bytes, 5'552'000'000U);
  EXPECT_EQ(series.samples[1].bytes, 500'000U);
  EXPECT_EQ(series.samples[1].at_s, 1.5);
  EXPECT_EQ(series.samples[0].step, 1.0);
  EXPECT_TRUE(std::isnan(series.samples[1].step));
}

TEST(SeriesLine, step_may_be_absent_and_other_keys_are_passed_over) {
  EXPECT_TRUE(
      parse_series_line(R"({"family": "x", "accept": ["leak", {"a": [1]}], "t": [0], "rss_mb": [1]})").ok());
  EXPECT_TRUE(parse_series_line(R"({"step": null, "t": [0], "rss_mb": [1]})").ok());
}

TEST(SeriesLine, id_stays_as_it_was_written) {
  EXPECT_EQ(parse_series_line(R"({"id": 7, "t": [], "rss_mb": []})").value().id_json, "7");
  EXPECT_EQ(parse_series_line(R"({"id": null, "t": [], "rss_mb": []})").value().id_json, "null");
  EXPECT_EQ(parse_series_line(R"({"id": "a\"b", "t": [], "rss_mb": []})").value().id_json, R"("a\"b")");
}

TEST(SeriesLine, readings_that_memory_cannot_have_are_left_out_and_counted) {
  const auto line =
      parse_series_line(R"({"id": "NaN", "t": [0,1,2,3,4], "rss_mb": [1, NaN, null, -5, -Infinity]})");

  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line.value().id_json, "\"NaN\"");
  EXPECT_EQ(line.value().samples.size(), 1U);
  EXPECT_EQ(line.value().ignored, 4U);
}

TEST(SeriesLine, what_would_be_a_guess_is_refused) {
  EXPECT_EQ(parse_series_line(R"({"t": [0, 1], "rss_mb": [1]})").error().message,
            "\"t\" has 2 values and \"rss_mb\" has 1");
  EXPECT_EQ(parse_series_line(R"({"t": [0], "step": [], "rss_mb": [1]})").error().message,
            "\"step\" has 0 values and \"rss_mb\" has 1");
  EXPECT_EQ(parse_series_line(R"({"rss_mb": [1]})").error().message, "it has no \"t\"");
  EXPECT_EQ(parse_series_line(R"({"t": [1]})").error().message, "it has no \"rss_mb\"");
  EXPECT_EQ(parse_series_line(R"({"t": [0], "rss_mb": [true]})").error().message,
            "\"rss_mb\" contains true, not a number");
  EXPECT_EQ(parse_series_line(R"({"t": [0], "rss_mb": ["5"]})").error().message,
            "\"rss_mb\" contains a string, not a number");
  EXPECT_FALSE(parse_series_line(R"({"t": [0], "rss_mb": [[1]]})").ok());
  EXPECT_FALSE(parse_series_line(R"({"t": 0, "rss_mb": [1]})").ok());
  EXPECT_FALSE(parse_series_line(R"({"t": [0], "rss_mb": [-1]})").ok());
}

TEST(SeriesLine, what_is_no_object_is_refused) {
  for (const char* text : {"", "[]", "5", "null", "\"a\"", "{", "{\"t\": [1", "\xff\xfe", "nan", "{}x"}) {
    EXPECT_FALSE(parse_series_line(text).ok()) << text;
  }
  EXPECT_FALSE(parse_series_line(std::string(100'000, '[')).ok());
  EXPECT_FALSE(parse_series_line("{\"a\":" + std::string(100'000, '[')).ok());
}

}  // namespace
}  // namespace lowtide::cli

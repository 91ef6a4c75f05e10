#include "ingest/formats/formats.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ingest/log_reader.h"
#include "ingest/testing/collecting_sink.h"

namespace lowtide::ingest {
namespace {

class EveryFormat : public testing::TestWithParam<Format> {};

TEST_P(EveryFormat, reads_its_own_example) {
  const Format& format = GetParam();
  CollectingSink recorder;

  const auto summary = read_log_text(format.example, recorder);

  ASSERT_TRUE(summary.ok()) << summary.error().message;
  EXPECT_EQ(recorder.readings, format.expected.readings);
  ASSERT_FALSE(recorder.series.empty());
  const RecordedSeries& series = recorder.series[recorder.last];
  const model::Sample& last = series.samples.back();
  EXPECT_EQ(series.info.quantity, format.expected.quantity);
  EXPECT_NEAR(static_cast<double>(last.bytes), format.expected.last_bytes, 1.0);
  if (format.expected.last_step < 0) {
    EXPECT_TRUE(std::isnan(last.step)) << last.step;
  } else {
    EXPECT_EQ(last.step, format.expected.last_step);
  }
  if (format.expected.last_at_s < 0) {
    EXPECT_TRUE(std::isnan(last.at_s)) << last.at_s;
  } else {
    EXPECT_NEAR(last.at_s, format.expected.last_at_s, 1e-3);
  }
}

std::string test_name(const testing::TestParamInfo<Format>& info) {
  std::string name;
  for (const char c : info.param.name) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(of_the_table, EveryFormat, testing::ValuesIn(formats().subspan(1)), test_name);

TEST(the_table_of_formats, is_ordered_by_number) {
  for (std::size_t i = 0; i < formats().size(); ++i) EXPECT_EQ(formats()[i].number, i);
}

}  // namespace
}  // namespace lowtide::ingest

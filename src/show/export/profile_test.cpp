#include "show/export/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "show/export/protobuf.h"

namespace lowtide::show {
namespace {

using model::FrameLanguage;
using model::ProfileValue;
using testing::HasSubstr;
using testing::Not;

model::Profile sample_profile() {
  model::Profile profile;
  profile.command = "python train.py";
  profile.interval_bytes = 524288;
  model::ProfileSample sample;
  sample.pid = 100;
  sample.frames = {{FrameLanguage::Native, "malloc", "", 0, "/lib/libc.so.6"},
                   {FrameLanguage::Python, "va;li\ndate", "/data/job/trainer.py", 631, ""},
                   {FrameLanguage::Python, "<module>", "/data/job/train.py", 88, ""}};
  sample.live_bytes = 3'000'000;
  sample.live_samples = 6;
  sample.allocated_bytes = 5'000'000;
  sample.growth_bytes = 2'000'000;
  profile.samples.push_back(sample);
  sample.growth_bytes = -500'000;
  sample.frames.front().function = "calloc";
  profile.samples.push_back(sample);
  return profile;
}

TEST(Protobuf, varints_are_encoded_as_the_format_requires) {
  ProtobufWriter out;
  out.number(1, 150);
  out.number(2, 0);
  out.number(3, -1);

  EXPECT_EQ(out.bytes(), std::string("\x08\x96\x01\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 14));
}

TEST(Protobuf, packed_numbers_and_empty_texts_keep_their_place) {
  ProtobufWriter out;
  const std::array<std::int64_t, 2> values{3, 270};
  out.packed(4, values);
  out.text(6, "");

  EXPECT_EQ(out.bytes(), std::string("\x22\x03\x03\x8e\x02\x32\x00", 7));
}

TEST(Folded, root_is_first_and_separators_in_names_are_replaced) {
  const std::string text = to_folded(sample_profile(), ProfileValue::Growth);

  EXPECT_EQ(text, "pid 100;<module> train.py:88;va:li?date trainer.py:631;malloc 2000000\n");
}

TEST(Folded, the_value_can_be_chosen) {
  EXPECT_THAT(to_folded(sample_profile(), ProfileValue::Live), HasSubstr("malloc 3000000\n"));
  EXPECT_THAT(to_folded(sample_profile(), ProfileValue::Live), HasSubstr("calloc 3000000\n"));
  EXPECT_THAT(to_folded(sample_profile(), ProfileValue::Allocated), HasSubstr("malloc 5000000\n"));
  EXPECT_THAT(to_folded(sample_profile(), ProfileValue::Growth), Not(HasSubstr("calloc")));
}

TEST(Folded, stack_without_frames_is_its_process_and_no_samples_are_no_lines) {
  model::Profile profile;
  EXPECT_EQ(to_folded(profile, ProfileValue::Live), "");

  profile.samples.push_back({.pid = 7, .live_bytes = 5});

  EXPECT_EQ(to_folded(profile, ProfileValue::Live), "pid 7 5\n");
}

TEST(Profile, growth_is_the_default_if_something_grew) {
  model::Profile profile = sample_profile();
  EXPECT_EQ(usual_value(profile), ProfileValue::Growth);

  for (model::ProfileSample& sample : profile.samples) sample.growth_bytes = 0;

  EXPECT_EQ(usual_value(profile), ProfileValue::Live);
}

TEST(Pprof, string_table_begins_with_the_empty_string_and_names_are_written_once) {
  const std::string bytes = to_pprof(sample_profile(), ProfileValue::Growth);

  EXPECT_THAT(bytes, HasSubstr(std::string("\x32\x00\x32\x06", 4) + "python"));
  EXPECT_EQ(bytes.find("trainer.py"), bytes.rfind("trainer.py"));
}

TEST(Pprof, top_level_code_is_named_with_its_file) {
  const std::string bytes = to_pprof(sample_profile(), ProfileValue::Growth);

  EXPECT_THAT(bytes, HasSubstr("<module> (train.py)"));
}

TEST(Pprof, first_mapping_is_the_program) {
  const std::string bytes = to_pprof(sample_profile(), ProfileValue::Growth);

  EXPECT_LT(bytes.find("python"), bytes.find("/lib/libc.so.6"));
}

}  // namespace
}  // namespace lowtide::show

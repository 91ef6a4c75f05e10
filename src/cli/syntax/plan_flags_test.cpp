#include "cli/syntax/plan_flags.h"

#include <gtest/gtest.h>

#include "cli/syntax/command.h"

namespace lowtide::cli {
namespace {

using plan::JobSetup;

std::variant<JobSetup, console::UserError> parse_plan(const std::map<std::string, std::string>& flags) {
  const Arguments arguments{{flags.begin(), flags.end()}, {}};
  const auto read = read_settings(setup_flags(), arguments, "plan");
  if (const auto* user_error = std::get_if<console::UserError>(&read)) return *user_error;
  return make_setup(std::get<SetupFlags>(read));
}

TEST(PlanFlags, setup_is_read_from_them) {
  const auto parsed = parse_plan({{"parameters", "3B"},
                                  {"precision", "4bit"},
                                  {"lora-rank", "16"},
                                  {"optimizer", "adamw8bit"},
                                  {"batch", "2"},
                                  {"accumulation", "4"},
                                  {"image-size", "1920x1080"},
                                  {"examples", "663"},
                                  {"dataset-bytes", "2GB"},
                                  {"workers", "4"},
                                  {"pin-memory", ""}});
  ASSERT_TRUE(std::holds_alternative<JobSetup>(parsed));
  const auto& setup = std::get<JobSetup>(parsed);
  EXPECT_EQ(setup.parameters, 3e9);
  EXPECT_EQ(setup.precision, model::Precision::FourBit);
  EXPECT_EQ(setup.optimizer, model::OptimizerKind::Adam8bit);
  EXPECT_EQ(setup.lora_rank, 16);
  EXPECT_EQ(setup.image->width, 1920U);
  EXPECT_EQ(setup.image->height, 1080U);
  EXPECT_EQ(setup.images_per_sample, 1) << "an image size means an image";
  EXPECT_EQ(setup.dataset_bytes, 2e9);
  EXPECT_TRUE(setup.pins_memory);
}

TEST(PlanFlags, several_gpus_are_read_from_them) {
  const auto parsed = parse_plan({{"parameters", "70B"},
                                  {"mixed-precision", ""},
                                  {"gpus", "16"},
                                  {"tensor-parallel", "8"},
                                  {"sharding", "fsdp"},
                                  {"heads", "64"},
                                  {"kv-heads", "8"}});
  ASSERT_TRUE(std::holds_alternative<JobSetup>(parsed));
  const auto& setup = std::get<JobSetup>(parsed);
  EXPECT_TRUE(setup.mixed_precision);
  EXPECT_EQ(setup.gpus, 16);
  EXPECT_EQ(setup.tensor_parallel, 8);
  EXPECT_EQ(setup.sharding, plan::Sharding::Zero3) << "FSDP shards everything";
  EXPECT_EQ(setup.kv_heads, 8);
}

TEST(PlanFlags, one_number_is_a_square) {
  const auto parsed = parse_plan({{"image-size", "640"}});
  ASSERT_TRUE(std::holds_alternative<JobSetup>(parsed));
  EXPECT_EQ(std::get<JobSetup>(parsed).image->height, 640U);
}

TEST(PlanFlags, nonsense_is_refused_with_a_hint) {
  const std::vector<std::pair<std::string, std::string>> wrong = {{"parameters", "0"},
                                                                  {"parameters", "-3B"},
                                                                  {"parameters", "lots"},
                                                                  {"parameters", "1e99"},
                                                                  {"parameters", "3GB"},
                                                                  {"parameters", "nan"},
                                                                  {"batch", "0"},
                                                                  {"batch", "1.5"},
                                                                  {"batch", "99999999999"},
                                                                  {"lora-rank", "0"},
                                                                  {"lora-rank", "-16"},
                                                                  {"sequence", ""},
                                                                  {"workers", "5000"},
                                                                  {"prefetch", "0"},
                                                                  {"image-size", "0x0"},
                                                                  {"image-size", "x"},
                                                                  {"image-size", "640x"},
                                                                  {"image-size", "-1x5"},
                                                                  {"image-size", "9999999"},
                                                                  {"image-size", "1x2x3"},
                                                                  {"dataset-bytes", "0"},
                                                                  {"dataset-bytes", "2 apples"},
                                                                  {"context", "-1G"},
                                                                  {"context", "NaN"},
                                                                  {"validation-samples", "0"},
                                                                  {"trainable", "0"},
                                                                  {"examples", "\x1b[31m"}};
  for (const auto& [flag, value] : wrong) {
    const auto parsed = parse_plan({{flag, value}});
    ASSERT_TRUE(std::holds_alternative<console::UserError>(parsed)) << flag << " " << value;
    const auto& user_error = std::get<console::UserError>(parsed);
    EXPECT_NE(user_error.what.find("--" + flag), std::string::npos) << user_error.what;
    EXPECT_NE(user_error.hint.find("--" + flag), std::string::npos) << user_error.hint;
    EXPECT_EQ(user_error.what.find('\x1b'), std::string::npos);
  }
}

TEST(PlanFlags, conflicting_flags_are_refused) {
  const auto is_refused = [](const std::map<std::string, std::string>& flags) {
    return std::holds_alternative<console::UserError>(parse_plan(flags));
  };
  EXPECT_TRUE(is_refused({{"parameters", "3B"}, {"precision", "4bit"}}));
  EXPECT_TRUE(is_refused({{"parameters", "3B"}, {"precision", "8bit"}}));
  EXPECT_TRUE(is_refused({{"parameters", "3B"}, {"trainable", "4B"}}));
  EXPECT_TRUE(is_refused({{"image-size", "640"}, {"images-per-sample", "0"}}));
  EXPECT_TRUE(is_refused({{"validation-episodes", "20"}}));
  EXPECT_TRUE(is_refused({{"example-bytes", "20MB"}}));
  EXPECT_FALSE(is_refused({{"parameters", "3B"}, {"precision", "4bit"}, {"trainable", "40M"}}));
  EXPECT_TRUE(is_refused({{"precision", "fp32"}, {"mixed-precision", ""}}));
  EXPECT_TRUE(is_refused({{"kv-heads", "8"}}));
  EXPECT_TRUE(is_refused({{"heads", "8"}, {"kv-heads", "32"}}));
  EXPECT_TRUE(is_refused({{"gpus", "8"}, {"device", "cpu"}}));
  EXPECT_TRUE(is_refused({{"gpus", "8"}, {"tensor-parallel", "3"}}));
  EXPECT_TRUE(is_refused({{"sharding", "zero3"}}));
  EXPECT_TRUE(is_refused({{"gpus", "8"}, {"tensor-parallel", "8"}, {"sharding", "fsdp"}}));
}

}  // namespace
}  // namespace lowtide::cli

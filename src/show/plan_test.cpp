#include "show/plan.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace lowtide::show {
namespace {

model::Plan sample_plan() {
  model::Plan plan;
  plan.host = {15e9, 10e9, 20e9};
  plan.trainer = {13e9, 9e9, 18e9};
  plan.device = {6e9, 5e9, 8e9};
  plan.minimum_ram_bytes = 16.0 * (1U << 30U);
  plan.comfortable_ram_bytes = 20.0 * (1U << 30U);
  model::PlanPart part;
  part.component = model::PlanComponent::OpenedExamples;
  part.host = model::Range{11e9, 5e9, 15e9};
  part.formula = "663 images x 4.19 million pixels x 4 bytes";
  part.assumption = "images that were opened stay open";
  plan.parts = {part};
  plan.ladder = {
      {"open images anew each time", "Image.open in __getitem__", "decoding at each epoch", 10e9, 0}};
  return plan;
}

TEST(PlanText, sums_come_first_and_numbers_have_units) {
  const std::string text = to_text(sample_plan(), {.width = 100});
  EXPECT_EQ(text.find("about 15.0 GB of host memory (10.0 GB to 20.0 GB) and 6.00 GB on the GPU"), 0U)
      << text;
  EXPECT_NE(text.find("16 GiB at the least, 20 GiB to be comfortable"), std::string::npos) << text;
  EXPECT_NE(text.find("opened examples"), std::string::npos) << text;
  EXPECT_NE(text.find("open images anew each time  10.0 GB  -"), std::string::npos) << text;
  EXPECT_NE(text.find("what is assumed"), std::string::npos) << text;
}

TEST(PlanText, limit_says_whether_it_fits) {
  model::Plan plan = sample_plan();
  plan.limit_bytes = 16.0 * (1U << 30U);
  EXPECT_NE(to_text(plan, {}).find("16 GiB: fits, with 2.18 GB to spare; at the upper"), std::string::npos)
      << to_text(plan, {});
  plan.limit_bytes = 8.0 * (1U << 30U);
  EXPECT_NE(to_text(plan, {}).find("8 GiB: too little by 6.41 GB"), std::string::npos) << to_text(plan, {});
}

TEST(PlanText, measured_stands_beside) {
  model::Plan plan = sample_plan();
  plan.measured = model::PlanMeasured{.source = "run.lowtide", .host_bytes = 12e9, .host_peak_bytes = 14e9};
  plan.parts[0].measured_host = 9e9;
  const std::string text = to_text(plan, {.width = 120});
  EXPECT_NE(text.find("12.0 GB on the host, 14.0 GB at its peak; the plan is +25 % (run.lowtide)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("9.00 GB"), std::string::npos) << text;
}

TEST(PlanText, no_line_is_wider_than_asked_for) {
  for (const std::size_t width : {80U, 120U}) {
    const std::string text = to_text(sample_plan(), {.width = width});
    std::size_t from = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', from)) {
      EXPECT_LE(end - from, width) << text.substr(from, end - from);
      from = end + 1;
    }
  }
}

TEST(PlanText, words_from_outside_stay_text) {
  model::Plan plan = sample_plan();
  plan.measured = model::PlanMeasured{.source = "\x1b[31m<b>|x|", .host_bytes = 1e9};
  EXPECT_EQ(to_text(plan, {}).find('\x1b'), std::string::npos);
  const std::string markdown = to_markdown(plan);
  EXPECT_EQ(markdown.find('\x1b'), std::string::npos);
  EXPECT_EQ(markdown.find("<b>"), std::string::npos) << markdown;
}

TEST(PlanMarkdown, has_its_tables) {
  const std::string markdown = to_markdown(sample_plan());
  EXPECT_EQ(markdown.find("# About 15"), 0U) << markdown;
  EXPECT_NE(markdown.find("## Of what it is made"), std::string::npos);
  EXPECT_NE(markdown.find("## What to try next, by what it buys"), std::string::npos);
  EXPECT_NE(markdown.find("## What is assumed"), std::string::npos);
}

TEST(PlanJson, says_the_same_in_bytes) {
  const auto json = nlohmann::json::parse(to_json(sample_plan()));
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["host_bytes"]["estimate"], 15'000'000'000);
  EXPECT_EQ(json["parts"][0]["component"], "opened-examples");
  EXPECT_EQ(json["parts"][0]["host_bytes"]["high"], 15'000'000'000);
  EXPECT_EQ(json["parts"][0]["device_bytes"], nullptr);
  EXPECT_EQ(json["parts"][0]["measured_host_bytes"], nullptr);
  EXPECT_EQ(json["ladder"][0]["host_bytes"], 10'000'000'000);
  EXPECT_EQ(json["measured"], nullptr);
}

}  // namespace
}  // namespace lowtide::show

#include "show/plan.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace lowtide::show {
namespace {

plan::Plan sample_plan() {
  plan::Plan plan;
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
      {"open images for each use", "Image.open in __getitem__", "decoding at each epoch", 10e9, 0}};
  return plan;
}

TEST(PlanText, sums_come_first_and_numbers_have_units) {
  const std::string text = to_text(sample_plan(), {.width = 100});
  EXPECT_EQ(text.find("about 15.0 GB of host memory (10.0 GB to 20.0 GB) and 6.00 GB on the GPU"), 0U)
      << text;
  EXPECT_NE(text.find("at least 16 GiB, better 20 GiB"), std::string::npos) << text;
  EXPECT_NE(text.find("opened examples"), std::string::npos) << text;
  EXPECT_NE(text.find("open images for each use  10.0 GB  -"), std::string::npos) << text;
  EXPECT_NE(text.find("assumptions"), std::string::npos) << text;
}

TEST(PlanText, limit_shows_whether_it_fits) {
  plan::Plan plan = sample_plan();
  plan.limit_bytes = 16.0 * (1U << 30U);
  EXPECT_NE(to_text(plan, {}).find("16 GiB: fits, with 2.18 GB to spare, but not"), std::string::npos)
      << to_text(plan, {});
  plan.limit_bytes = 8.0 * (1U << 30U);
  EXPECT_NE(to_text(plan, {}).find("8 GiB: does not fit, 6.41 GB too little"), std::string::npos)
      << to_text(plan, {});
}

TEST(PlanText, host_limit_alone_says_that_the_gpu_is_not_checked) {
  plan::Plan plan = sample_plan();
  plan.limit_bytes = 80.0 * (1U << 30U);
  EXPECT_NE(to_text(plan, {.width = 200}).find("GPU memory is not checked: use --gpu-limit"),
            std::string::npos)
      << to_text(plan, {.width = 200});
  plan.gpu_limit_bytes = 80.0 * (1U << 30U);
  EXPECT_EQ(to_text(plan, {.width = 200}).find("not checked"), std::string::npos);
}

TEST(PlanText, gpu_limit_is_compared_with_the_memory_of_one_gpu) {
  plan::Plan plan = sample_plan();
  plan.setup.gpus = 8;
  plan.gpu_limit_bytes = 5e9;
  const std::string text = to_text(plan, {.width = 200});
  EXPECT_NE(text.find("GPU limit  5.00 GB: does not fit, 1.00 GB too little"), std::string::npos) << text;
  EXPECT_NE(text.find("6.00 GB on each of 8 GPUs"), std::string::npos) << text;
  const auto json = nlohmann::json::parse(to_json(plan));
  EXPECT_EQ(json["fits_gpu"], false);
  EXPECT_EQ(json["fits_host"], nullptr);
  EXPECT_EQ(json["setup"]["gpus"], 8);
  EXPECT_EQ(json["setup"]["sharding"], "none");
}

TEST(PlanText, ram_line_comes_with_the_checkpoint) {
  plan::Plan plan = sample_plan();
  plan.checkpoint_bytes = 140e9;
  EXPECT_NE(to_text(plan, {.width = 200}).find("checkpoint  140 GB as stored."), std::string::npos)
      << to_text(plan, {.width = 200});
}

TEST(PlanText, leak_of_the_measured_job_is_reported_and_not_compared) {
  plan::Plan plan = sample_plan();
  plan.measured = model::PlanMeasured{.source = "run.lowtide", .host_bytes = 12e9};
  plan.leak = "leak: the floor rises 393 kB per step";
  const std::string text = to_text(plan, {.width = 200});
  EXPECT_NE(text.find("leak: the floor rises 393 kB per step. The plan leaves out what the leak holds"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("the plan is"), std::string::npos) << text;
  EXPECT_EQ(nlohmann::json::parse(to_json(plan))["leak"], *plan.leak);
}

TEST(PlanText, measured_values_are_shown) {
  plan::Plan plan = sample_plan();
  plan.measured = model::PlanMeasured{.source = "run.lowtide", .host_bytes = 12e9, .host_peak_bytes = 14e9};
  plan.parts[0].measured_host = 9e9;
  const std::string text = to_text(plan, {.width = 120});
  EXPECT_NE(text.find("12.0 GB on the host, peak 14.0 GB; the plan is +25% (run.lowtide)"), std::string::npos)
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

TEST(PlanText, text_from_outside_stays_text) {
  plan::Plan plan = sample_plan();
  plan.measured = model::PlanMeasured{.source = "\x1b[31m<b>|x|", .host_bytes = 1e9};
  EXPECT_EQ(to_text(plan, {}).find('\x1b'), std::string::npos);
  const std::string markdown = to_markdown(plan);
  EXPECT_EQ(markdown.find('\x1b'), std::string::npos);
  EXPECT_EQ(markdown.find("<b>"), std::string::npos) << markdown;
}

TEST(PlanMarkdown, has_its_tables) {
  const std::string markdown = to_markdown(sample_plan());
  EXPECT_EQ(markdown.find("# About 15"), 0U) << markdown;
  EXPECT_NE(markdown.find("## Parts"), std::string::npos);
  EXPECT_NE(markdown.find("## Changes that save memory, largest first"), std::string::npos);
  EXPECT_NE(markdown.find("## Assumptions"), std::string::npos);
}

TEST(PlanJson, has_the_same_in_bytes) {
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

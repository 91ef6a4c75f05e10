// The table "Hardware Requirement" in the README of LLaMA-Factory, in GB on one GPU. It gives no batch,
// length or vocabulary; with one sequence of 1024 tokens, the vocabulary of Llama 2 and gradient
// checkpointing, the plan is within a quarter of its figures.

#include <gtest/gtest.h>

#include <string>

#include "plan/plan.h"

namespace lowtide::plan {
namespace {

using model::Precision;

struct Published {
  std::string name;
  double parameters;
  Precision precision;
  bool mixed;
  bool lora;
  double gigabytes;
};

TEST(PublishedPlan, is_within_a_quarter_of_the_table) {
  const Published table[] = {
      {"7B full, AMP", 7e9, Precision::Bf16, true, false, 120},
      {"14B full, AMP", 14e9, Precision::Bf16, true, false, 240},
      {"30B full, AMP", 30e9, Precision::Bf16, true, false, 600},
      {"70B full, AMP", 70e9, Precision::Bf16, true, false, 1200},
      {"7B full, pure bf16", 7e9, Precision::Bf16, false, false, 60},
      {"14B full, pure bf16", 14e9, Precision::Bf16, false, false, 120},
      {"30B full, pure bf16", 30e9, Precision::Bf16, false, false, 300},
      {"70B full, pure bf16", 70e9, Precision::Bf16, false, false, 600},
      {"7B LoRA", 7e9, Precision::Bf16, false, true, 16},
      {"14B LoRA", 14e9, Precision::Bf16, false, true, 32},
      {"30B LoRA", 30e9, Precision::Bf16, false, true, 64},
      {"70B LoRA", 70e9, Precision::Bf16, false, true, 160},
      {"7B QLoRA, 8 bits", 7e9, Precision::EightBit, false, true, 10},
      {"70B QLoRA, 8 bits", 70e9, Precision::EightBit, false, true, 80},
      {"7B QLoRA, 4 bits", 7e9, Precision::FourBit, false, true, 6},
      {"14B QLoRA, 4 bits", 14e9, Precision::FourBit, false, true, 12},
      {"70B QLoRA, 4 bits", 70e9, Precision::FourBit, false, true, 48},
  };
  for (const Published& row : table) {
    JobSetup setup;
    setup.parameters = row.parameters;
    setup.precision = row.precision;
    setup.mixed_precision = row.mixed;
    if (row.lora) setup.lora_rank = 8;
    setup.sequence = 1024;
    setup.vocabulary = 32'000;
    setup.checkpointing = true;
    const double planned = make_plan(setup).device.estimate / 1e9;
    EXPECT_NEAR(planned, row.gigabytes, 0.25 * row.gigabytes) << row.name;
  }
}

}  // namespace
}  // namespace lowtide::plan

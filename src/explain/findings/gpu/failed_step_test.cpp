#include "explain/findings/gpu/failed_step.h"

#include <gtest/gtest.h>

namespace lowtide::explain {
namespace {

class FailedStep : public testing::Test {
 protected:
  FailedStep() {
    findings_.resize(2);
    findings_[0].id = "cuda-out-of-memory";
    findings_[0].severity = model::Severity::Critical;
    findings_[0].fix = "lower the peak";
    findings_[0].parts = {
        {.name = "activations",
         .bytes = 116'000'000'000,
         .variable = "input",
         .kind = model::MemoryPartKind::Activations},
        {.name = "`shards`", .bytes = 21'000'000'000, .kind = model::MemoryPartKind::Variable},
        {.name = "other processes", .bytes = 400'000'000'000, .has_tensors = false},
    };
    findings_[1].id = "holder";
    findings_[1].severity = model::Severity::High;
    findings_[1].variable = "kept";
    findings_[1].growth_bytes = 60e9;
    findings_[1].fix = "remove entries";
  }

  [[nodiscard]] bool is_cleared() {
    clear_growth_of_failed_step(findings_);
    return findings_[1].severity == model::Severity::Info && findings_[1].fix.empty();
  }

  Findings findings_;
};

TEST_F(FailedStep, growth_that_is_much_of_what_tensors_held_stays) {
  EXPECT_FALSE(is_cleared());
}

TEST_F(FailedStep, growth_that_is_little_of_what_tensors_held_is_not_why_it_failed) {
  findings_[1].growth_bytes = 2e9;
  EXPECT_TRUE(is_cleared());
  EXPECT_EQ(findings_[0].fix, "lower the peak");
}

TEST_F(FailedStep, variable_through_which_the_step_reaches_its_activations_is_not_why_it_failed) {
  findings_[1].variable = "input";
  EXPECT_TRUE(is_cleared());
}

TEST_F(FailedStep, growth_stays_where_no_allocation_failed) {
  findings_.erase(findings_.begin());
  findings_.push_back(findings_[0]);
  findings_[1].growth_bytes = 2e9;
  EXPECT_FALSE(is_cleared());
}

}  // namespace
}  // namespace lowtide::explain

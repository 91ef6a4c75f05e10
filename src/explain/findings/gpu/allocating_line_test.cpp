#include "explain/findings/gpu/allocating_line.h"

#include <gtest/gtest.h>

namespace lowtide::explain {
namespace {

constexpr std::int64_t kKeeperPid = 4711;

class AllocatingLine : public testing::Test {
 protected:
  AllocatingLine() : gpus_(1), findings_(1) {
    gpus_[0].pid = kKeeperPid;
    gpus_[0].blocks = model::GpuBlocksReport{
        .blocks = {.allocator = "native", .steps = 300, .recorded_steps = 25},
        .growth_steps = 20,
        .lines = {{.line = {.file = "/job/train.py", .line = 13, .function = "evaluate"},
                   .bytes = 1'200'000'000,
                   .growth_per_step = 4e6}}};
    finding().id = "holder";
    finding().pid = kKeeperPid;
    finding().is_on_device = true;
    finding().growth_bytes = 1.2e9;
    finding().lines = {{.role = model::LineRole::Stores, .file = "/job/train.py", .line = 20}};
  }

  model::Finding& finding() { return findings_[0]; }

  std::vector<model::CodeLine>& lines_now() {
    add_allocating_lines(gpus_, findings_);
    return finding().lines;
  }

  std::vector<model::GpuReport> gpus_;
  Findings findings_;
};

TEST_F(AllocatingLine, comes_before_the_line_that_stores) {
  ASSERT_EQ(lines_now().size(), 2U);
  EXPECT_EQ(finding().lines[0].line, 13U);
  EXPECT_EQ(finding().where.line, 13U);
  EXPECT_EQ(finding().evidence.back().text,
            "train.py:13 allocated 4.00 MB per step on GPU 0 that stayed (25 of 300 steps recorded)");
}

TEST_F(AllocatingLine, is_not_given_to_what_grows_on_the_host) {
  finding().is_on_device = false;
  EXPECT_EQ(lines_now().size(), 1U);
}

TEST_F(AllocatingLine, is_not_given_to_another_process) {
  finding().pid = 1;
  EXPECT_EQ(lines_now().size(), 1U);
}

TEST_F(AllocatingLine, is_not_given_to_a_variable_that_gained_much_more) {
  finding().growth_bytes = 20e9;
  EXPECT_EQ(lines_now().size(), 1U);
}

TEST_F(AllocatingLine, that_is_known_already_is_not_listed_twice) {
  finding().lines.push_back(gpus_[0].blocks->lines[0].line);
  EXPECT_EQ(lines_now().size(), 2U);
}

TEST_F(AllocatingLine, of_a_small_part_of_the_growth_is_not_given) {
  auto more = gpus_[0].blocks->lines[0];
  for (const std::uint64_t line : {14U, 15U}) {
    more.line.line = line;
    gpus_[0].blocks->lines.push_back(more);
  }
  EXPECT_EQ(lines_now().size(), 1U);
}

}  // namespace
}  // namespace lowtide::explain

#include "explain/findings/running_calls.h"

#include <gtest/gtest.h>

namespace lowtide::explain {
namespace {

record::RecordedSnapshot snapshot_of_calls(double at_s, std::size_t calls, std::uint32_t line) {
  record::RecordedSnapshot out{model::ProcessId{3}, {}};
  out.snapshot.has_holders = true;
  out.snapshot.at_s = at_s;
  for (std::size_t at = 0; at < calls; ++at) {
    model::HeldNode node;
    node.path = "__main__.handle.samples";
    node.type = "numpy.ndarray";
    node.depth = 1;
    node.file = "/job/serve.py";
    node.line = line + static_cast<std::uint32_t>(at == 0 ? 0 : at % 2 * (line - 32));
    node.retained_bytes = 1'600'000;
    out.snapshot.nodes.push_back(node);
  }
  return out;
}

std::optional<RunningCalls> find_between(std::size_t first, std::size_t last, std::uint32_t line = 32) {
  Evidence evidence;
  evidence.snapshots = {snapshot_of_calls(1, first, 32), snapshot_of_calls(9, last, line)};
  const std::vector<WatchedProcess> processes;
  const Sites sites;
  std::vector<ProcessHolders> holders(1);
  holders[0].process.id = model::ProcessId{3};
  holders[0].to_s = 10;
  SourceFiles sources;
  const model::Report report;
  return find_running_calls({evidence, processes, sites, holders, report.short_lived, sources, report},
                            holders[0]);
}

TEST(RunningCalls, variable_of_calls_that_do_not_end_is_found) {
  const auto calls = find_between(15, 178);

  ASSERT_TRUE(calls);
  EXPECT_EQ(calls->variable, "samples");
  EXPECT_EQ(calls->function, "handle");
  EXPECT_EQ(calls->line, 32U);
  EXPECT_EQ(calls->at_first, 15U);
  EXPECT_EQ(calls->at_last, 178U);
  EXPECT_NEAR(calls->growth_bytes, 163 * 1.6e6, 1);
}

TEST(RunningCalls, a_pool_of_threads_is_no_pile) {
  EXPECT_FALSE(find_between(8, 8));
  EXPECT_FALSE(find_between(8, 6));
}

TEST(RunningCalls, calls_at_several_lines_have_no_line) {
  EXPECT_EQ(find_between(0, 20, 40)->line, 0U);
}

}  // namespace
}  // namespace lowtide::explain

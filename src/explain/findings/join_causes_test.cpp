#include "explain/findings/join_causes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lowtide::explain {
namespace {

using model::Finding;
using model::Severity;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

Finding holder(std::int64_t pid, double share = 0.9) {
  Finding out{.id = "holder", .severity = Severity::High, .title = "`history` grew by 8 items (9 MB)"};
  out.pid = pid;
  out.process = model::FindingProcess{.role = model::ProcessRole::Worker, .index = 1, .pids = {pid}};
  out.variable = "history";
  out.where.holder = "__main__.main.history";
  out.where.file = "train.py";
  out.where.line = 56;
  out.share = share;
  out.growth_bytes = 9e6;
  out.evidence = {"it grew"};
  return out;
}

Finding line(std::int64_t pid, std::uint64_t number = 30, double share = 0.97) {
  Finding out{.id = "leaking-site", .severity = Severity::High, .title = "train.py:30 allocated 9 MB"};
  out.pid = pid;
  out.process = model::FindingProcess{.role = model::ProcessRole::Worker, .index = 1, .pids = {pid}};
  out.where.file = "train.py";
  out.where.line = number;
  out.lines = {{.file = "train.py", .line = number}};
  out.share = share;
  out.growth_bytes = 9e6;
  out.evidence = {{"line 30 allocated 97% of the growth", model::ObservationKind::LineShare}};
  return out;
}

Finding process(std::int64_t pid) {
  Finding out{.id = "leak-in-process", .severity = Severity::High, .title = "worker leaks"};
  out.pid = pid;
  out.process = model::FindingProcess{.role = model::ProcessRole::Worker, .index = 1, .pids = {pid}};
  out.evidence = {"floor rose", "its private memory grew from 1 MB to 10 MB"};
  return out;
}

Finding gpu_leak(std::int64_t pid) {
  Finding out{.id = "gpu-memory-leaks", .severity = Severity::High, .title = "memory on GPU 0 leaks"};
  out.pid = pid;
  out.evidence = {"floor rose", "9 MB of 80 GB is in use"};
  return out;
}

Finding retention(std::int64_t pid, double share) {
  Finding out{.id = "allocator-retention", .severity = Severity::Medium, .title = "the allocator keeps 9 MB"};
  out.pid = pid;
  out.process = model::FindingProcess{.role = model::ProcessRole::Worker, .index = 1, .pids = {pid}};
  out.share = share;
  out.growth_bytes = 9e6;
  out.evidence = {"99% of what it gained is freed memory"};
  return out;
}

TEST(JoinCauses, leak_of_a_gpu_is_part_of_the_variable_that_holds_the_tensors) {
  Findings findings = {holder(7), gpu_leak(7)};
  findings[0].is_on_device = true;
  join_causes(findings);
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_THAT(findings[0].evidence, Contains("9 MB of 80 GB is in use"));

  findings = {holder(7), gpu_leak(7)};
  join_causes(findings);
  EXPECT_THAT(findings, SizeIs(2)) << "its tensors are not on the GPU";
}

TEST(JoinCauses, growth_on_the_host_is_no_evidence_for_tensors_on_a_gpu) {
  Findings findings = {holder(7), process(7)};
  findings[0].is_on_device = true;
  join_causes(findings);
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_THAT(findings[0].evidence, Not(Contains("its private memory grew from 1 MB to 10 MB")));
}

TEST(JoinCauses, graphs_whose_variable_is_known_are_one_finding) {
  Findings findings = {holder(7), holder(7)};
  findings[0].id = "hidden-state-chain";
  findings[1].id = "loss-graph-kept";
  findings[1].variable.clear();
  findings[1].where = {};
  findings[1].growth_bytes = 1;
  join_causes(findings);
  EXPECT_THAT(findings, SizeIs(1));
}

TEST(JoinCauses, process_that_grows_by_free_memory_is_one_finding_about_the_allocator) {
  Findings findings{process(7), retention(7, 0.9)};

  join_causes(findings);

  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_TRUE(findings[0].id == "allocator-retention");
  EXPECT_EQ(findings[0].severity, Severity::High);
}

TEST(JoinCauses, free_memory_that_is_a_small_part_of_the_growth_is_not_its_cause) {
  Findings findings{process(7), retention(7, 0.3)};

  join_causes(findings);

  ASSERT_THAT(findings, SizeIs(2));
  EXPECT_TRUE(findings[0].id == "leak-in-process");
  EXPECT_EQ(findings[1].severity, Severity::Medium);
}

TEST(JoinCauses, variable_line_and_process_of_one_growth_are_one_finding) {
  Findings findings{holder(7), line(7), process(7)};

  join_causes(findings);

  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_TRUE(findings[0].id == "holder");
  EXPECT_EQ(findings[0].where.line, 30U);
  EXPECT_EQ(findings[0].where.holder, "__main__.main.history");
  EXPECT_THAT(findings[0].lines, SizeIs(1));
  EXPECT_THAT(findings[0].evidence, Contains("its private memory grew from 1 MB to 10 MB"));
  EXPECT_EQ(findings[0].evidence.front(), "line 30 allocated 97% of the growth");
}

TEST(JoinCauses, joined_finding_is_as_grave_as_its_gravest_part) {
  Finding seen_once = holder(7);
  seen_once.severity = Severity::Medium;
  Findings findings{seen_once, line(7)};

  join_causes(findings);

  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].severity, Severity::High);
}

TEST(JoinCauses, further_lines_of_the_same_growth_become_evidence) {
  Findings findings{holder(7), line(7), line(7, 44, 0.6)};

  join_causes(findings);

  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].where.line, 30U);
  EXPECT_THAT(findings[0].evidence, Contains(HasSubstr("also: ")));
}

TEST(JoinCauses, a_variable_and_a_line_that_both_explain_little_stay_apart) {
  Findings findings{holder(7, 0.3), line(7, 30, 0.3)};

  join_causes(findings);

  EXPECT_THAT(findings, SizeIs(2));
}

TEST(JoinCauses, workers_that_leak_alike_are_one_finding) {
  Findings findings{holder(7), holder(8), line(7), line(8), process(8)};

  join_causes(findings);

  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_THAT(findings[0].process->pids, ElementsAre(7, 8));
  EXPECT_THAT(findings[0].title, HasSubstr("2 workers"));
  EXPECT_DOUBLE_EQ(findings[0].growth_bytes, 18e6);
  EXPECT_EQ(findings[0].evidence.front(),
            "2 workers grew alike; what follows was measured in one of them, pid 7");
}

TEST(JoinCauses, variable_that_is_reached_by_different_paths_in_equal_workers_is_the_same) {
  Finding in_method = holder(7);
  Finding in_main = holder(8);
  in_method.variable = "self.episodes";
  in_main.variable = "env.episodes";
  for (Finding* each : {&in_method, &in_main}) {
    each->where.file = "wrappers.py";
    each->where.line = 49;
  }
  Findings alike{in_method, in_main};
  join_causes(alike);
  EXPECT_THAT(alike, SizeIs(1));

  in_main.where.line = 60;
  Findings different{in_method, in_main};
  join_causes(different);
  EXPECT_THAT(different, SizeIs(2));
}

TEST(JoinCauses, share_of_a_line_is_dropped_where_several_processes_grow_and_no_other_sentence) {
  Finding grown = holder(7);
  grown.evidence = {"line 12 of the log says that it took 9% of the growth"};
  Findings findings{grown, holder(8), line(7), line(8)};

  join_causes(findings);

  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_THAT(findings[0].evidence, Contains("line 12 of the log says that it took 9% of the growth"));
  EXPECT_THAT(findings[0].evidence, Not(Contains("line 30 allocated 97% of the growth")));
}

TEST(JoinCauses, copy_on_write_has_the_growth_of_its_workers) {
  Finding copying{.id = "copy-on-write", .severity = Severity::High, .title = "copy-on-write in 2 workers"};
  copying.process = model::FindingProcess{.role = model::ProcessRole::Worker, .pids = {7, 8}};
  Findings findings{copying, process(7), process(8)};

  join_causes(findings);

  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_TRUE(findings[0].id == "copy-on-write");
}

TEST(JoinCauses, findings_of_other_processes_and_ruled_out_ones_stay) {
  Finding overhead{.id = "worker-overhead", .title = "2 workers hold 9 MB"};
  overhead.ruled_out = true;
  Findings findings{holder(7), process(9), overhead};

  join_causes(findings);

  EXPECT_THAT(findings, SizeIs(3));
}

}  // namespace
}  // namespace lowtide::explain

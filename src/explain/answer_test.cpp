#include "explain/answer.h"

#include <gtest/gtest.h>

namespace lowtide::explain {
namespace {

model::Finding finding_of(model::FindingId id, double share, bool ruled_out) {
  model::Finding out;
  out.id = id;
  out.share = share;
  out.ruled_out = ruled_out;
  return out;
}

TEST(Answer, warm_up_is_explained_by_what_holds_most_of_it) {
  model::Report report;
  report.verdict.kind = model::VerdictKind::Warmup;
  report.findings = {finding_of("allocator-retention", 0.2, false), finding_of("holder", 0.8, true)};
  report.findings[1].variable = "workspace";

  const model::Answer answer = find_answer(report);

  ASSERT_EQ(answer.finding, 1U);
  EXPECT_EQ(answer.variable, "workspace");
  EXPECT_EQ(answer.fix, "none needed");
}

TEST(Answer, failed_allocation_is_the_answer_where_nothing_that_grew_explains_it) {
  model::Report report;
  report.source.type = model::SourceType::Recording;
  report.verdict.kind = model::VerdictKind::Leak;
  report.findings = {finding_of("cuda-out-of-memory", 0, false), finding_of("holder", 0.9, false)};
  report.findings[0].parts = {{"activations", 116'000'000'000}, {"`shards`", 21'000'000'000}};
  report.findings[1].severity = model::Severity::Info;
  report.processes.emplace_back().info.exit_status = 1;
  report.events.push_back({model::EventKind::CudaOom, 5.0, 0, "torch asked for 1 GB"});
  EXPECT_EQ(find_answer(report).finding, 0U);
  EXPECT_EQ(find_answer(report).kind, model::AnswerKind::Oom);

  report.findings[1].severity = model::Severity::High;
  EXPECT_EQ(find_answer(report).finding, 1U);

  report.findings.pop_back();
  report.verdict.kind = model::VerdictKind::Inconclusive;
  EXPECT_EQ(find_answer(report).finding, 0U) << "nothing else is known";
}

TEST(Answer, gpu_that_was_full_needs_a_fix_only_if_the_job_failed) {
  model::Report report;
  report.source.type = model::SourceType::Recording;
  report.verdict.kind = model::VerdictKind::Stable;
  report.events.push_back({model::EventKind::CudaOom, 5.0, 0, "torch asked for 1 GB"});
  report.findings = {finding_of("page-cache", 0, true), finding_of("cuda-out-of-memory", 0, false)};
  report.findings[1].fix = "lower the peak";
  report.processes.emplace_back();
  report.processes[0].info.exit_status = 1;

  EXPECT_EQ(find_answer(report).kind, model::AnswerKind::Oom);
  EXPECT_EQ(find_answer(report).fix, "lower the peak");
  report.processes[0].info.exit_status = 0;
  EXPECT_EQ(find_answer(report).kind, model::AnswerKind::Stable);
  EXPECT_EQ(find_answer(report).fix, "none needed");
}

TEST(Answer, log_that_ends_without_memory_has_advice_for_any_verdict_but_a_leak) {
  model::Report report;
  report.source.type = model::SourceType::Log;
  for (const auto kind : {model::VerdictKind::Stable, model::VerdictKind::Warmup, model::VerdictKind::Spikes,
                          model::VerdictKind::Inconclusive}) {
    report.verdict.kind = kind;
    report.events = {{model::EventKind::OomKill, {}, 9, "Killed process 7 (python)"}};
    EXPECT_EQ(find_answer(report).fix, "raise the limit above the peak, or lower the peak");
    report.events = {{model::EventKind::CudaOom, {}, 9, "CUDA out of memory"}};
    EXPECT_EQ(find_answer(report).fix.find("lower the peak on the GPU: smaller batches"), 0U);
  }
  report.verdict.kind = model::VerdictKind::Leak;
  EXPECT_EQ(find_answer(report).fix.find("find what is kept from step to step"), 0U);
}

TEST(Answer, gpu_that_may_leak_is_not_hidden_by_what_explains_a_flat_host) {
  model::Report report;
  report.source.type = model::SourceType::Recording;
  report.verdict.kind = model::VerdictKind::Stable;
  report.runs.emplace_back();
  report.runs[0].series.resize(2);
  report.runs[0].series[0].verdict.kind = model::VerdictKind::Stable;
  report.runs[0].series[1].quantity = model::Quantity::GpuAllocated;
  report.runs[0].series[1].verdict.lean = model::Lean{model::VerdictKind::Leak, 0.73};
  report.findings = {finding_of("page-cache", 0, true), finding_of("gpu-memory-grows", 0, false)};
  report.findings[1].severity = model::Severity::Medium;
  report.findings[1].fix = "watch it longer";

  EXPECT_EQ(find_answer(report).fix, "watch it longer");
}

TEST(Answer, workers_that_are_replaced_explain_spikes) {
  model::Report report;
  report.verdict.kind = model::VerdictKind::Spikes;
  report.findings = {finding_of("spikes-recover", 0, true), finding_of("respawned-workers", 0, true)};

  EXPECT_EQ(find_answer(report).finding, 1U);
}

TEST(Answer, open_verdict_that_leans_to_a_flat_floor_accuses_no_variable) {
  model::Report report;
  report.verdict.kind = model::VerdictKind::Inconclusive;
  report.verdict.lean = model::Lean{model::VerdictKind::Stable, 0.72};
  report.findings = {finding_of("validation-outputs-kept", 0.9, false)};
  report.findings[0].severity = model::Severity::Medium;
  report.findings[0].fix = "clear it when validation ends";

  EXPECT_FALSE(find_answer(report).finding);
  report.verdict.lean->kind = model::VerdictKind::Leak;
  EXPECT_EQ(find_answer(report).finding, 0U);
}

TEST(Answer, spikes_of_a_validation_have_its_variable_and_its_advice) {
  model::Report report;
  report.verdict.kind = model::VerdictKind::Spikes;
  report.findings = {finding_of("validation-spikes", 0, true), finding_of("holder", 0.9, true)};
  report.findings[0].fix = "none needed; compute the metric batch by batch";
  report.findings[1].variable = "preds";

  const model::Answer answer = find_answer(report);

  EXPECT_EQ(answer.variable, "preds");
  EXPECT_EQ(answer.fix, "none needed; compute the metric batch by batch");
}

TEST(Answer, small_parts_do_not_explain_a_warm_up) {
  model::Report report;
  report.verdict.kind = model::VerdictKind::Warmup;
  report.findings = {finding_of("allocator-retention", 0.2, false), finding_of("holder", 0.3, true)};

  EXPECT_FALSE(find_answer(report).finding);
  report.findings[0].share = 0.9;
  EXPECT_EQ(find_answer(report).finding, 0U);
}

}  // namespace
}  // namespace lowtide::explain

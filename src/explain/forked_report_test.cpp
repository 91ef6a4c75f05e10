// Reports of jobs whose processes share pages since a fork: what is copied, given back or leaks.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "explain/report.h"
#include "explain/testing/report_fixture.h"

namespace lowtide::explain {
namespace {

using model::VerdictKind;
using testing::HasSubstr;
using ForkedReport = ReportFixture;

TEST_F(ForkedReport, pages_that_are_own_again_when_workers_end_are_no_growth) {
  for (const char* name : {"workers-end", "workers-end-often"}) {
    const std::string path = record(name);
    const model::Report report = report_of(path);
    std::filesystem::remove(path);

    const model::ProcessReport* trainer = find_pid(report, 100);
    ASSERT_NE(trainer, nullptr);
    EXPECT_EQ(trainer->series.verdict.kind, VerdictKind::Stable)
        << name << ": " << trainer->series.verdict.reason;
    EXPECT_NE(report.verdict.kind, VerdictKind::Leak) << name << ": " << report.verdict.reason;
    EXPECT_EQ(find_finding(report, "leak-in-process"), nullptr) << name;
    EXPECT_EQ(find_finding(report, "growth-in-process"), nullptr) << name;
    EXPECT_EQ(find_finding(report, "copy-on-write"), nullptr) << name;
  }
}

TEST_F(ForkedReport, leak_of_a_trainer_whose_workers_end_is_found) {
  const model::Report report = report_of(record("leak-beside-workers-that-end"));

  EXPECT_EQ(find_pid(report, 100)->series.verdict.kind, VerdictKind::Leak);
  const model::Finding* finding = find_finding(report, "leak-in-process");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->pid, 100);
}

TEST_F(ForkedReport, pace_of_a_leak_is_not_that_of_the_copies_of_one_generation_of_workers) {
  const model::Report report = report_of(record("leak-beside-workers-that-copy"));

  EXPECT_EQ(report.verdict.kind, VerdictKind::Leak) << report.verdict.reason;
  ASSERT_TRUE(report.verdict.rate);
  EXPECT_NEAR(report.verdict.rate->bytes, 0.25e6, 0.05e6) << report.verdict.reason;
  EXPECT_THAT(report.verdict.reason, HasSubstr("trainer (pid 100) leaks"));
  EXPECT_EQ(report.answer.kind, model::AnswerKind::Leak);
}

TEST_F(ForkedReport, worker_whose_rss_is_flat_copies_on_write) {
  const model::Report report = report_of(record("copy-on-write"));

  EXPECT_EQ(report.verdict.kind, VerdictKind::Leak) << report.verdict.reason;
  const model::Finding* finding = find_finding(report, "copy-on-write");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->mechanism, model::Mechanism::CopyOnWrite);
  EXPECT_GT(finding->share.value_or(0), 0.9);
  ASSERT_TRUE(report.growth);
  ASSERT_FALSE(report.growth->mechanisms.empty());
  EXPECT_EQ(report.growth->mechanisms.front().mechanism, model::Mechanism::CopyOnWrite);
}

TEST_F(ForkedReport, container_whose_pages_are_copied_is_named_from_a_snapshot_of_the_parent) {
  const model::Report report = report_of(record("copy-on-write"));

  const model::Finding* finding = find_finding(report, "copy-on-write");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->variable, "dataset.samples");
  EXPECT_EQ(report.answer.variable, "dataset.samples");
  EXPECT_THAT(finding->evidence, Contains(HasSubstr("`dataset.samples` holds 380 MB")));
  EXPECT_THAT(finding->cause, HasSubstr("reading an object writes its reference count"));
}

TEST_F(ForkedReport, few_objects_are_not_the_reference_counts_that_copy_all_pages) {
  const model::Report report = report_of(record("copied-buffer"));

  const model::Finding* finding = find_finding(report, "copy-on-write");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->variable, "");
  EXPECT_THAT(finding->cause, HasSubstr("processes write to pages that they have shared since the fork"));
}

TEST_F(ForkedReport, workers_that_go_on_copying_are_a_leak_after_300_steps_and_those_that_stopped_are_not) {
  const std::string going_on = record("copying");
  const model::Report copying = report_of(going_on);
  std::filesystem::remove(going_on);
  const model::Report copied = report_of(record("copied"));

  EXPECT_EQ(copying.verdict.kind, VerdictKind::Leak) << copying.verdict.reason;
  EXPECT_NE(find_finding(copying, "copy-on-write"), nullptr);
  EXPECT_EQ(find_pid(copying, 200)->series.verdict.kind, VerdictKind::Leak);
  EXPECT_NE(find_pid(copying, 100)->series.verdict.kind, VerdictKind::Leak);
  EXPECT_NE(copied.verdict.kind, VerdictKind::Leak) << copied.verdict.reason;
}

TEST_F(ForkedReport, trainer_whose_pages_living_workers_copy_does_not_grow) {
  const model::Report report = report_of(record("copied-from-trainer"));

  const model::ProcessReport* trainer = find_pid(report, 100);
  EXPECT_EQ(trainer->series.verdict.kind, VerdictKind::Stable) << trainer->series.verdict.reason;
  EXPECT_LT(trainer->growth_share.value_or(0), 0.05);
  EXPECT_EQ(find_finding(report, "leak-in-process"), nullptr);
  EXPECT_EQ(report.verdict.kind, VerdictKind::Leak) << report.verdict.reason;
  const model::Finding* finding = find_finding(report, "copy-on-write");
  ASSERT_NE(finding, nullptr);
  EXPECT_THAT(finding->process->pids, testing::UnorderedElementsAre(200, 201));
  EXPECT_NEAR(finding->growth_bytes, 2 * 0.3e6 * 600, 60e6);
  // All that three processes can hold of what one of them has allocated.
  EXPECT_EQ(report.answer.kind, model::AnswerKind::Bounded);
  EXPECT_NEAR(static_cast<double>(finding->end_bytes.value_or(0)), 40e6 + 3 * 400e6, 60e6);
}

TEST_F(ForkedReport, pages_that_the_trainer_shares_with_its_workers_are_in_its_row) {
  const model::Report report = report_of(record("copied-from-trainer"));

  const model::Ends trainer = find_pid(report, 100)->ends;
  EXPECT_NEAR(static_cast<double>(trainer.early_bytes), 440e6, 2e6);
  EXPECT_NEAR(static_cast<double>(trainer.late_bytes), 440e6, 2e6);
  std::uint64_t sum = 0;
  for (const model::ProcessReport& process : report.processes) sum += process.ends.late_bytes;
  EXPECT_NEAR(static_cast<double>(sum), static_cast<double>(report.ends.late_bytes), 2e6);
}

TEST_F(ForkedReport, leak_of_a_trainer_is_not_the_pages_that_its_workers_copy) {
  const model::Report report = report_of(record("copied-from-leaking-trainer"));

  const model::ProcessReport* trainer = find_pid(report, 100);
  EXPECT_EQ(trainer->series.verdict.kind, VerdictKind::Leak) << trainer->series.verdict.reason;
  EXPECT_NEAR(static_cast<double>(trainer->ends.late_bytes - trainer->ends.early_bytes), 1e6 * 600, 60e6);
  const model::Finding* copying = find_finding(report, "copy-on-write");
  ASSERT_NE(copying, nullptr);
  EXPECT_THAT(copying->process->pids, testing::UnorderedElementsAre(200, 201));
  const model::Finding* leak = find_finding(report, "leak-in-process");
  ASSERT_NE(leak, nullptr);
  EXPECT_EQ(leak->pid, 100);
  EXPECT_THAT(leak->evidence, Contains(HasSubstr("pages that its children share")));
  // The leak has no end, whatever the workers do.
  EXPECT_EQ(report.answer.kind, model::AnswerKind::Leak);
}

}  // namespace
}  // namespace lowtide::explain

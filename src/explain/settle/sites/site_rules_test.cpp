// What the sites settle, and what they must leave alone.

#include "explain/settle/sites/site_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "base/testing/temp_folder.h"
#include "explain/report.h"
#include "explain/testing/scenarios.h"

namespace lowtide::explain {
namespace {

using model::VerdictKind;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class SiteVerdicts : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = (std::filesystem::path(base::temp_folder()) / (std::string("lowtide_sites_") + test->name()))
                .string();
    std::filesystem::remove(path_);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  model::Report report_of(std::string_view scenario) {
    EXPECT_EQ(write_scenario(*find_scenario(scenario), path_), "");
    auto recording = record::Recording::open(path_);
    EXPECT_TRUE(recording.ok());
    return recording.ok() ? make_report(recording.value(), {}) : model::Report{};
  }

  std::string path_;
};

const model::Finding* finding_with(const model::Report& report, std::string_view id) {
  const auto found = std::find_if(report.findings.begin(), report.findings.end(),
                                  [&](const model::Finding& finding) { return finding.id == id; });
  return found == report.findings.end() ? nullptr : &*found;
}

double share_of(const model::Report& report, model::Mechanism mechanism) {
  for (const model::MechanismShare& part : report.growth->mechanisms) {
    if (part.mechanism == mechanism) return part.share;
  }
  return 0;
}

bool names_a_leak(const model::Report& report) {
  return finding_with(report, "leaking-site") != nullptr ||
         std::any_of(report.sites.begin(), report.sites.end(),
                     [](const model::SiteReport& site) { return site.verdict.kind == VerdictKind::Leak; });
}

TEST_F(SiteVerdicts, steady_leak_of_300_steps_is_settled_and_its_line_named) {
  const model::Report report = report_of("site-leak");

  EXPECT_EQ(report.verdict.kind, VerdictKind::Leak) << report.verdict.reason;
  EXPECT_THAT(report.verdict.basis, Contains("sites"));
  EXPECT_THAT(report.verdict.reason, HasSubstr("trainer.py:631 in validate"));
  EXPECT_GT(report.verdict.confidence, 0.85);
  ASSERT_FALSE(report.sites.empty());
  const model::SiteReport& site = report.sites.front();
  EXPECT_EQ(site.pid, 100);
  EXPECT_EQ(site.frames[site.act_on].line, 631U);
  EXPECT_EQ(site.stacks, 2U);
  EXPECT_GT(site.share.value_or(0), 0.9);
  EXPECT_EQ(site.verdict.kind, VerdictKind::Leak);
  // 1.5 MiB in each of some 240 steps.
  EXPECT_NEAR(static_cast<double>(site.growth_bytes), 240 * 1.5 * 1048576,
              4 * static_cast<double>(site.error_bytes));
  const model::Finding* finding = finding_with(report, "leaking-site");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->where.file, "/data/job/trainer.py");
  EXPECT_EQ(finding->where.line, 631U);
  EXPECT_EQ(finding->where.function, "validate");
  EXPECT_EQ(finding->mechanism, model::Mechanism::LiveObjects);
  EXPECT_THAT(finding->evidence, Contains(HasSubstr("; 0 of ")));
  EXPECT_EQ(report.processes.front().series.verdict.kind, VerdictKind::Leak);
}

TEST_F(SiteVerdicts, parts_of_the_growth_add_up_and_the_free_memory_is_distinguished) {
  const model::Report report = report_of("site-leak");

  ASSERT_TRUE(report.growth);
  double all = 0;
  for (const model::MechanismShare& part : report.growth->mechanisms) all += part.share;
  EXPECT_NEAR(all, 1.0, 0.03);
  EXPECT_NEAR(share_of(report, model::Mechanism::LiveObjects), 2.0 / 3, 0.12);
  EXPECT_NEAR(share_of(report, model::Mechanism::AllocatorRetention), 1.0 / 3, 0.12);
  EXPECT_GT(report.growth->explained_share.value_or(0), 0.9);
}

TEST_F(SiteVerdicts, cache_that_filled_up_is_a_warmup_and_no_leaking_site) {
  const model::Report report = report_of("site-cache");

  EXPECT_NE(report.verdict.kind, VerdictKind::Leak) << report.verdict.reason;
  EXPECT_FALSE(names_a_leak(report));
  ASSERT_FALSE(report.sites.empty());
  EXPECT_EQ(report.sites.front().frames[report.sites.front().act_on].line, 34U);
  EXPECT_EQ(report.sites.front().verdict.kind, VerdictKind::Warmup) << report.sites.front().verdict.reason;
}

TEST_F(SiteVerdicts, rising_memory_over_flat_live_bytes_is_the_allocators) {
  const model::Report report = report_of("site-churn");

  EXPECT_EQ(report.verdict.kind, VerdictKind::Inconclusive) << report.verdict.reason;
  EXPECT_THAT(report.verdict.reason, HasSubstr("the allocator keeps freed memory"));
  EXPECT_THAT(report.verdict.reason, HasSubstr("or memory does not pass the agent"));
  EXPECT_FALSE(report.verdict.lean) << "live memory stands still: no more a leak than none";
  EXPECT_FALSE(names_a_leak(report));
  EXPECT_GT(share_of(report, model::Mechanism::AllocatorRetention), 0.8);
  const model::Finding* finding = finding_with(report, "allocator-retention");
  ASSERT_NE(finding, nullptr);
  EXPECT_THAT(finding->fix, HasSubstr("MALLOC_TRIM_THRESHOLD_=65536"));
}

TEST_F(SiteVerdicts, of_two_sites_the_one_that_stopped_warms_up_and_the_other_leaks) {
  const model::Report report = report_of("site-two");

  EXPECT_EQ(report.verdict.kind, VerdictKind::Leak) << report.verdict.reason;
  EXPECT_THAT(report.verdict.reason, HasSubstr("logger.py:51"));
  for (const model::SiteReport& site : report.sites) {
    const std::string& function = site.frames[site.act_on].function;
    if (function == "log_batch") {
      EXPECT_EQ(site.verdict.kind, VerdictKind::Leak) << site.verdict.reason;
    }
    if (function == "grow_pool") {
      EXPECT_EQ(site.verdict.kind, VerdictKind::Warmup) << site.verdict.reason;
    }
    if (function == "next_batch") {
      EXPECT_NE(site.verdict.kind, VerdictKind::Leak) << site.verdict.reason;
    }
  }
}

TEST_F(SiteVerdicts, leak_of_a_worker_is_reported_with_its_pid) {
  const model::Report report = report_of("site-worker");

  EXPECT_EQ(report.verdict.kind, VerdictKind::Leak) << report.verdict.reason;
  const model::Finding* finding = finding_with(report, "leaking-site");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->pid, 201);
  EXPECT_EQ(finding->where.line, 37U);
  for (const model::ProcessReport& process : report.processes) {
    EXPECT_EQ(process.series.verdict.kind == VerdictKind::Leak, process.info.pid == 201);
  }
}

TEST_F(SiteVerdicts, free_memory_of_many_arenas_is_distinguished_from_that_of_one) {
  const model::Report report = report_of("site-thread-churn");

  EXPECT_NE(finding_with(report, "thread-arenas"), nullptr);
  EXPECT_EQ(finding_with(report, "allocator-retention"), nullptr);
}

TEST_F(SiteVerdicts, spikes_that_recover_name_no_leaking_site) {
  const model::Report report = report_of("site-spikes");

  EXPECT_NE(report.verdict.kind, VerdictKind::Leak) << report.verdict.reason;
  EXPECT_FALSE(names_a_leak(report));
  EXPECT_NE(finding_with(report, "validation-spikes"), nullptr);  // by the function that allocates
}

TEST_F(SiteVerdicts, leak_in_native_code_is_named_by_its_function_and_its_caller) {
  const model::Report report = report_of("site-native");

  EXPECT_EQ(report.verdict.kind, VerdictKind::Leak) << report.verdict.reason;
  const model::Finding* finding = finding_with(report, "native-leak");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->where.function, "decode_frame");
  EXPECT_EQ(finding->mechanism, model::Mechanism::NativeLive);
  EXPECT_THAT(finding->evidence, Contains(HasSubstr("video.py:39 in decode")));
  EXPECT_GT(share_of(report, model::Mechanism::NativeLive), 0.8);
}

TEST_F(SiteVerdicts, leak_in_stairs_is_settled_too) {
  const model::Report report = report_of("site-stairs");

  EXPECT_EQ(report.verdict.kind, VerdictKind::Leak) << report.verdict.reason;
  EXPECT_THAT(report.verdict.reason, HasSubstr("module.py:37"));
}

TEST_F(SiteVerdicts, temporaries_that_a_line_frees_do_not_hide_what_it_keeps) {
  const model::Report report = report_of("site-temporaries");

  EXPECT_EQ(report.verdict.kind, VerdictKind::Leak) << report.verdict.reason;
  EXPECT_THAT(report.verdict.reason, HasSubstr("words.py:31"));
  EXPECT_THAT(report.verdict.reason, HasSubstr(", 0 of "));
}

TEST_F(SiteVerdicts, holes_as_large_as_the_blocks_do_not_hide_a_leak) {
  const model::Report report = report_of("site-holes");

  EXPECT_EQ(report.verdict.kind, VerdictKind::Leak) << report.verdict.reason;
  EXPECT_NEAR(share_of(report, model::Mechanism::AllocatorRetention), 0.5, 0.12);
}

TEST_F(SiteVerdicts, memory_freed_after_the_last_step_was_kept_all_the_same) {
  const model::Report report = report_of("site-packing-up");

  EXPECT_EQ(report.verdict.kind, VerdictKind::Leak) << report.verdict.reason;
  EXPECT_THAT(report.verdict.reason, HasSubstr("rank.py:33"));
}

TEST_F(SiteVerdicts, batches_kept_in_shared_memory_are_a_leak_of_that_memory) {
  const model::Report report = report_of("site-shared");

  EXPECT_EQ(report.verdict.kind, VerdictKind::Leak) << report.verdict.reason;
  const model::Finding* finding = finding_with(report, "leaking-site");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->where.line, 43U);
  EXPECT_EQ(finding->mechanism, model::Mechanism::SharedMemory);
  EXPECT_GT(share_of(report, model::Mechanism::SharedMemory), 0.9);
  EXPECT_EQ(share_of(report, model::Mechanism::LiveObjects), 0);
}

TEST_F(SiteVerdicts, dataset_cached_in_the_first_epoch_is_no_leak) {
  const model::Report report = report_of("site-lazy-dataset");

  EXPECT_NE(report.verdict.kind, VerdictKind::Leak) << report.verdict.reason;
  EXPECT_FALSE(names_a_leak(report));
}

TEST_F(SiteVerdicts, history_with_a_bound_is_no_leak) {
  const model::Report report = report_of("site-bounded-history");

  EXPECT_NE(report.verdict.kind, VerdictKind::Leak) << report.verdict.reason;
  EXPECT_FALSE(names_a_leak(report));
}

TEST_F(SiteVerdicts, cache_that_began_to_fill_late_is_not_settled) {
  const model::Report report = report_of("site-late-cache");

  EXPECT_EQ(report.verdict.kind, VerdictKind::Inconclusive) << report.verdict.reason;
  EXPECT_TRUE(report.verdict.needs);
  EXPECT_FALSE(names_a_leak(report));
}

TEST_F(SiteVerdicts, working_set_that_grows_to_the_end_but_is_replaced_is_not_settled) {
  const model::Report report = report_of("site-growing-batches");

  EXPECT_EQ(report.verdict.kind, VerdictKind::Inconclusive) << report.verdict.reason;
  EXPECT_TRUE(report.verdict.needs);
  EXPECT_FALSE(names_a_leak(report));
}

TEST_F(SiteVerdicts, arenas_of_threads_name_no_leaking_site) {
  const model::Report report = report_of("site-arenas");

  EXPECT_NE(report.verdict.kind, VerdictKind::Leak) << report.verdict.reason;
  EXPECT_FALSE(names_a_leak(report));
}

TEST_F(SiteVerdicts, shared_segment_that_fills_page_by_page_names_no_leaking_site) {
  const model::Report report = report_of("site-shared-cache");

  EXPECT_NE(report.verdict.kind, VerdictKind::Leak) << report.verdict.reason;
  EXPECT_FALSE(names_a_leak(report));
}

TEST_F(SiteVerdicts, agent_that_gave_up_settles_nothing_and_says_so) {
  const model::Report report = report_of("agent-off");

  EXPECT_EQ(report.verdict.kind, VerdictKind::Inconclusive) << report.verdict.reason;
  EXPECT_THAT(report.verdict.basis, Not(Contains("sites")));
  EXPECT_FALSE(names_a_leak(report));
  ASSERT_TRUE(report.overhead);
  EXPECT_EQ(report.overhead->agent, "switched-off");
  EXPECT_EQ(report.overhead->note.find('\x1b'), std::string::npos);
  EXPECT_NE(finding_with(report, "agent-switched-off"), nullptr);
  EXPECT_NE(finding_with(report, "samples-dropped"), nullptr);
}

TEST_F(SiteVerdicts, recording_without_an_agent_has_no_sites_and_no_words_about_them) {
  const model::Report report = report_of("wrapper");

  EXPECT_TRUE(report.sites.empty());
  EXPECT_EQ(report.overhead->agent, "off");
  EXPECT_EQ(report.verdict.basis, std::vector<std::string>{"series"});
}

TEST_F(SiteVerdicts, profile_has_every_stack_with_its_growth) {
  ASSERT_EQ(write_scenario(*find_scenario("site-leak"), path_), "");
  auto recording = record::Recording::open(path_);
  ASSERT_TRUE(recording.ok());

  const model::Profile profile = make_profile(recording.value());

  EXPECT_EQ(profile.samples.size(), 3U);
  EXPECT_EQ(profile.interval_bytes, 512U * 1024);
  for (const model::ProfileSample& sample : profile.samples) {
    EXPECT_EQ(sample.pid, 100);
    EXPECT_EQ(sample.frames.size(), 6U);
    EXPECT_GE(sample.allocated_bytes, sample.live_bytes);
  }
}

TEST(FreedWords, are_left_out_without_a_sample) {
  SiteGroup group;

  EXPECT_EQ(freed_words(group), "");
  group.kept_samples = 7;
  group.freed_samples = 1;
  EXPECT_EQ(freed_words(group), "1 of 8 sampled blocks freed");
}

TEST(FreedWords, of_a_table_that_moves_to_larger_blocks_do_not_count_the_smaller_ones_as_freed) {
  SiteGroup group;
  group.change_bytes = 100e6;
  group.live_samples = 1;
  group.kept_samples = 1;
  group.freed_samples = 8;
  EXPECT_EQ(freed_words(group), "8 of 9 sampled blocks freed, but the blocks in use are larger than before");
  group.live_samples = 100;
  EXPECT_EQ(freed_words(group), "8 of 9 sampled blocks freed");
}

}  // namespace
}  // namespace lowtide::explain

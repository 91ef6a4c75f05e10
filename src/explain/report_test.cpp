// Reports of recordings with a known truth. The recordings are written by the
// real writer and read by the real reader.

#include "explain/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "base/testing/effort.h"
#include "explain/testing/report_fixture.h"
#include "explain/testing/scenarios.h"

namespace lowtide::explain {
namespace {

using model::VerdictKind;
using testing::HasSubstr;
using Report = ReportFixture;

std::string all_evidence(const model::Finding& finding) {
  std::string out;
  for (const std::string& line : finding.evidence) out += line + "\n";
  return out;
}

TEST_F(Report, leak_in_a_child_of_a_stable_wrapper_is_found) {
  const model::Report report = report_of(record("wrapper"));

  EXPECT_EQ(report.verdict.kind, VerdictKind::Leak);
  EXPECT_EQ(report.verdict.axis, model::Axis::Step);
  ASSERT_NE(find_pid(report, 100), nullptr);
  EXPECT_EQ(find_pid(report, 100)->series.verdict.kind, VerdictKind::Stable);
  EXPECT_EQ(find_pid(report, 101)->series.verdict.kind, VerdictKind::Leak);
  EXPECT_NEAR(find_pid(report, 101)->growth_share.value_or(0), 1.0, 0.02);
  const model::Finding* finding = find_finding(report, "wrapper-is-stable");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->title, "the wrapper (100, sh) is stable; the child (101, python leak.py) leaks");
  ASSERT_NE(find_finding(report, "leak-in-process"), nullptr);
  EXPECT_EQ(find_finding(report, "leak-in-process")->pid, 101);
}

TEST_F(Report, twenty_constant_children_are_overhead_and_not_a_leak) {
  const model::Report report = report_of(record("overhead"));

  EXPECT_NE(report.verdict.kind, VerdictKind::Leak);
  EXPECT_NE(report.verdict.kind, VerdictKind::Inconclusive) << report.verdict.reason;
  const model::Finding* finding = find_finding(report, "worker-overhead");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->title, "20 workers hold 8.00 GB in total (PSS): overhead, not a leak");
  EXPECT_EQ(find_finding(report, "leak-in-process"), nullptr);
  EXPECT_EQ(find_finding(report, "copy-on-write"), nullptr);
}

TEST_F(Report, page_cache_is_no_leak) {
  const model::Report report = report_of(record("page-cache"));

  EXPECT_EQ(report.verdict.kind, VerdictKind::Stable) << report.verdict.reason;
  const model::Finding* finding = find_finding(report, "page-cache");
  ASSERT_NE(finding, nullptr);
  EXPECT_THAT(finding->title, HasSubstr("not a leak"));
  EXPECT_TRUE(finding->ruled_out);
}

TEST_F(Report, respawned_workers_are_one_series_and_no_leak) {
  const model::Report report = report_of(record("respawned"));

  EXPECT_NE(report.verdict.kind, VerdictKind::Leak) << report.verdict.reason;
  EXPECT_EQ(report.processes.size(), 5U);
  for (const model::ProcessReport& process : report.processes) {
    EXPECT_NE(process.series.verdict.kind, VerdictKind::Leak) << process.info.pid;
    if (process.info.role == model::ProcessRole::Worker) {
      EXPECT_EQ(process.processes, 12U);
      EXPECT_NE(process.series.verdict.kind, VerdictKind::Inconclusive) << process.series.verdict.reason;
    }
  }
  const auto& lean = report.verdict.lean;
  EXPECT_FALSE(lean && lean->kind == VerdictKind::Leak);
  EXPECT_EQ(find_finding(report, "leak-in-process"), nullptr);
  const model::Finding* finding = find_finding(report, "respawned-workers");
  ASSERT_NE(finding, nullptr);
  EXPECT_THAT(finding->evidence,
              Contains(HasSubstr("48 processes ran in these 4 places, one after the other")));
}

TEST_F(Report, processes_that_pile_up_are_a_leak_though_none_of_them_grows) {
  const model::Report report = report_of(record("pile-up"));

  EXPECT_EQ(report.verdict.kind, VerdictKind::Leak) << report.verdict.reason;
  ASSERT_FALSE(report.findings.empty());
  EXPECT_TRUE(report.findings.front().id == "processes-pile-up");
}

TEST_F(Report, workers_that_start_one_after_the_other_are_no_leak) {
  const model::Report report = report_of(record("workers-start"));

  EXPECT_NE(report.verdict.kind, VerdictKind::Leak) << report.verdict.reason;
  EXPECT_EQ(find_finding(report, "processes-pile-up"), nullptr);
}

TEST_F(Report, garbage_that_waits_for_the_collector_is_not_called_spikes) {
  const model::Report report = report_of(record("sawtooth"));

  EXPECT_NE(report.verdict.kind, VerdictKind::Leak) << report.verdict.reason;
  const model::Finding* finding = find_finding(report, "gc-sawtooth");
  ASSERT_NE(finding, nullptr);
  EXPECT_TRUE(finding->ruled_out);
}

TEST_F(Report, pinned_memory_that_grows_is_named) {
  const model::Report report = report_of(record("gpu-pinned"));

  const model::Finding* finding = find_finding(report, "pinned-memory");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(find_finding(report, "gpu-outside-torch"), nullptr);
}

TEST_F(Report, shared_memory_that_grows_is_named) {
  const model::Report report = report_of(record("shared-memory"));

  EXPECT_EQ(report.verdict.kind, VerdictKind::Leak);
  const model::Finding* finding = find_finding(report, "shared-memory-grows");
  ASSERT_NE(finding, nullptr);
  EXPECT_GT(finding->share.value_or(0), 0.9);
  EXPECT_EQ(find_finding(report, "copy-on-write"), nullptr);
}

TEST_F(Report, shared_memory_of_others_in_the_cgroup_is_not_blamed_on_the_job) {
  const model::Report report = report_of(record("neighbours-shared-memory"));

  EXPECT_EQ(report.verdict.kind, VerdictKind::Leak);
  EXPECT_EQ(find_finding(report, "shared-memory-grows"), nullptr);
}

TEST_F(Report, shared_memory_that_the_job_does_not_map_is_not_a_second_grave_cause) {
  const model::Report report = report_of(record("unmapped-shared-memory"));

  EXPECT_EQ(report.verdict.kind, VerdictKind::Leak);
  const model::Finding* finding = find_finding(report, "shared-memory-grows");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, model::Severity::Info);
  EXPECT_THAT(finding->title, HasSubstr("no process of this job maps it"));
  EXPECT_LT(finding->share.value_or(1), 0.1) << "it is not part of the process tree";
  EXPECT_EQ(std::count_if(report.findings.begin(), report.findings.end(),
                          [](const auto& each) { return each.severity <= model::Severity::High; }),
            1);
}

TEST_F(Report, small_tmpfs_is_the_limit_that_is_reached_first) {
  const model::Report report = report_of(record("filling-tmpfs"));

  EXPECT_EQ(report.verdict.kind, VerdictKind::Leak);
  ASSERT_TRUE(report.forecast);
  EXPECT_EQ(report.forecast->limit, model::LimitKind::Tmpfs);
  EXPECT_EQ(report.forecast->path, "/dev/shm");
  EXPECT_EQ(report.forecast->limit_bytes, 1ULL << 30U);
  // 1,074 MB less 200 MB of another job, at 0.75 MB per second: 1,165 s.
  EXPECT_NEAR(report.forecast->seconds->estimate, 1165, 12);
  ASSERT_EQ(report.tmpfs.size(), 1U);
  EXPECT_FALSE(report.tmpfs[0].was_full);
}

TEST_F(Report, process_that_made_shared_memory_is_named) {
  const model::Report report = report_of(record("filling-tmpfs"));

  const model::Finding* finding = find_finding(report, "shared-memory-grows");
  ASSERT_NE(finding, nullptr);
  EXPECT_THAT(finding->title, HasSubstr("trainer (pid 100) made"));
  EXPECT_EQ(finding->pid, 100);
  EXPECT_EQ(finding->files, "/dev/shm/batches-*/batch*.npy");
  EXPECT_EQ(finding->fix, "delete files like /dev/shm/batches-*/batch*.npy when they are no longer used");
  EXPECT_THAT(
      all_evidence(*finding),
      HasSubstr("600 files like /dev/shm/batches-*/batch*.npy (449 MB), named after trainer (pid 100)"));
  EXPECT_THAT(all_evidence(*finding),
              HasSubstr("/dev/shm (1 GiB) was at most 60% full: 649 MB, 449 MB of it by files"));
}

TEST_F(Report, oom_kill_has_the_last_second_the_victim_the_limit_and_the_forecast) {
  const model::Report report = report_of(record("oom"));

  EXPECT_EQ(report.verdict.kind, VerdictKind::Leak);
  const model::Finding* finding = find_finding(report, "oom-killed");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, model::Severity::Critical);
  EXPECT_EQ(finding->pid, 100);
  EXPECT_THAT(finding->title, HasSubstr("trainer (pid 100)"));
  EXPECT_THAT(all_evidence(*finding), HasSubstr("the limit of the cgroup is 4 GiB"));
  EXPECT_THAT(all_evidence(*finding), HasSubstr("1.2 s before the kill: the process tree had"));
  EXPECT_THAT(all_evidence(*finding), HasSubstr("forecast 5.0 min before the kill"));
  ASSERT_FALSE(report.events.empty());
  EXPECT_EQ(report.events.front().kind, model::EventKind::OomKill);
  EXPECT_EQ(find_finding(report, "job-ended-by-signal"), nullptr);
}

TEST_F(Report, tree_and_cgroup_are_reconciled_to_a_stated_difference) {
  const model::Report report = report_of(record("oom"));

  ASSERT_TRUE(report.reconciliation);
  const model::Reconciliation& sum = *report.reconciliation;
  EXPECT_TRUE(sum.exact);
  EXPECT_EQ(sum.rest_bytes, 0);
  EXPECT_EQ(sum.tree_bytes + sum.cache_bytes + sum.kernel_bytes, sum.current_bytes);
}

TEST_F(Report, forecast_leaves_page_cache_out_and_other_memory_in) {
  const model::Report report = report_of(record("oom"));

  ASSERT_TRUE(report.limit);
  EXPECT_EQ(report.limit->kind, model::LimitKind::Cgroup);
  EXPECT_EQ(report.limit->bytes, 4ULL << 30U);
  ASSERT_TRUE(report.forecast);
  EXPECT_EQ(report.forecast->limit_bytes, 4ULL << 30U);
  // 4.295 GB less 30 MB of kernel memory, from 1.0 GB at 5.2 MB per second: 628 s.
  EXPECT_NEAR(report.forecast->seconds->estimate, 628, 12);
}

TEST_F(Report, limit_of_the_user_goes_before_that_of_the_machine) {
  const model::Report report = report_of(record("oom"), {.path = "", .limit_bytes = 6'000'000'000});

  ASSERT_TRUE(report.limit);
  EXPECT_EQ(report.limit->bytes, 6'000'000'000U);
  EXPECT_FALSE(report.limit->told_by_machine);
}

TEST_F(Report, warmup_that_ended_and_spikes_that_recover_are_ruled_out) {
  const std::string warmup = record("warmup");
  const model::Report warm = report_of(warmup);
  std::filesystem::remove(warmup);
  const model::Report spikes = report_of(record("spikes"));

  EXPECT_EQ(warm.verdict.kind, VerdictKind::Warmup);
  EXPECT_NE(find_finding(warm, "warmup-ended"), nullptr);
  EXPECT_EQ(spikes.verdict.kind, VerdictKind::Spikes);
  EXPECT_NE(find_finding(spikes, "spikes-recover"), nullptr);  // and no sawtooth
}

TEST_F(Report, a_few_readings_are_inconclusive_and_lean_nowhere) {
  const model::Report report = report_of(record("short"));

  EXPECT_EQ(report.verdict.kind, VerdictKind::Inconclusive);
  ASSERT_EQ(report.processes.size(), 1U);
  EXPECT_EQ(report.processes[0].series.verdict.kind, VerdictKind::Inconclusive);
  EXPECT_FALSE(report.processes[0].series.verdict.lean);
  EXPECT_TRUE(report.processes[0].series.verdict.needs);
}

TEST_F(Report, thousands_of_short_lived_processes_are_summed_up) {
  const model::Report report = report_of(record("storm"));

  EXPECT_EQ(report.processes.size(), 1U);
  EXPECT_EQ(report.short_lived.count, 2400U);
  EXPECT_NE(find_finding(report, "short-lived-processes"), nullptr);
  EXPECT_NE(report.verdict.kind, VerdictKind::Leak);
}

TEST_F(Report, leak_on_a_gpu_is_not_passed_over) {
  const model::Report report = report_of(record("gpu"));

  EXPECT_EQ(report.verdict.kind, VerdictKind::Leak);
  ASSERT_EQ(report.gpus.size(), 1U);
  EXPECT_EQ(report.gpus[0].pid, 100);
  EXPECT_NE(find_finding(report, "gpu-memory-leaks"), nullptr);
  ASSERT_TRUE(report.forecast);
  EXPECT_EQ(report.forecast->limit, model::LimitKind::Gpu);
  EXPECT_LT(report.forecast->reach_bytes.value_or(0), report.forecast->limit_bytes);
}

TEST_F(Report, what_a_gpu_holds_until_the_last_step_is_not_missed_because_the_end_frees_it) {
  const model::Report report = report_of(record("gpu-freed-at-end"));

  EXPECT_EQ(report.verdict.kind, VerdictKind::Leak);
  EXPECT_NE(find_finding(report, "gpu-memory-leaks"), nullptr);
  EXPECT_EQ(find_finding(report, "gpu-fragmentation"), nullptr);
}

TEST_F(Report, ranks_that_share_a_gpu_fill_it_together) {
  const model::Report report = report_of(record("gpu-ranks"));

  ASSERT_EQ(report.verdict.kind, VerdictKind::Leak);
  ASSERT_TRUE(report.verdict.rate);
  EXPECT_NEAR(report.verdict.rate->bytes, 4e6, 0.1e6) << "2 MB per step each";
  EXPECT_NE(report.answer.process, "rank only") << "the other has the same";
}

TEST_F(Report, lean_of_a_gpu_beside_a_stable_host_is_named_in_the_reason) {
  const model::Report report = report_of(record("gpu-lean"));

  EXPECT_EQ(report.verdict.kind, VerdictKind::Stable);
  ASSERT_EQ(report.gpus.size(), 1U);
  ASSERT_EQ(report.gpus[0].series.verdict.kind, VerdictKind::Inconclusive);
  EXPECT_THAT(report.verdict.reason, HasSubstr("but GPU 0 of the job may leak: "));
  EXPECT_NE(find_finding(report, "gpu-memory-grows"), nullptr);
}

TEST_F(Report, of_two_leaks_the_one_that_reaches_its_limit_first_speaks) {
  const model::Report report = report_of(record("gpu-first"));

  const auto& series = report.runs.at(0).series;
  ASSERT_EQ(series.size(), 2U);
  EXPECT_EQ(series[1].verdict.kind, VerdictKind::Leak) << "the host leaks too";
  EXPECT_TRUE(model::is_gpu_memory(series[0].quantity));
  EXPECT_EQ(report.forecast->limit, model::LimitKind::Gpu);
}

TEST_F(Report, gpu_that_may_grow_further_speaks_before_a_stable_host) {
  const model::Report report = report_of(record("gpu-open"));

  EXPECT_EQ(report.verdict.kind, VerdictKind::Inconclusive);
  EXPECT_TRUE(model::is_gpu_memory(report.runs.at(0).series.at(0).quantity));
}

TEST_F(Report, fragmentation_is_not_called_a_leak_of_tensors) {
  const model::Report report = report_of(record("gpu-fragments"));

  EXPECT_EQ(report.verdict.kind, VerdictKind::Stable);
  ASSERT_EQ(report.gpus.size(), 1U);
  EXPECT_EQ(report.gpus[0].series.verdict.kind, VerdictKind::Stable);
  EXPECT_NE(find_finding(report, "gpu-fragmentation"), nullptr);
  EXPECT_THAT(report.verdict.reason, HasSubstr("but torch reserves more and more memory of GPU 0"));
  EXPECT_EQ(find_finding(report, "gpu-memory-leaks"), nullptr);
  EXPECT_EQ(find_finding(report, "gpu-outside-torch"), nullptr);
}

TEST_F(Report, growth_beside_torch_is_not_blamed_on_it) {
  const model::Report report = report_of(record("gpu-outside"));

  EXPECT_NE(find_finding(report, "gpu-outside-torch"), nullptr);
  EXPECT_EQ(find_finding(report, "gpu-fragmentation"), nullptr);
  EXPECT_EQ(find_finding(report, "pinned-memory"), nullptr);
  ASSERT_EQ(report.gpus.size(), 1U);
  EXPECT_GT(model::outside_torch_bytes(report.gpus[0]).value_or(0), 2'000'000'000U);
  EXPECT_EQ(report.gpus[0].series.name, "GPU 0, outside of torch");
  EXPECT_EQ(report.verdict.kind, VerdictKind::Leak);
  EXPECT_EQ(find_finding(report, "gpu-memory-leaks"), nullptr);
}

TEST_F(Report, phase_that_keeps_what_it_takes_is_named) {
  const model::Report report = report_of(record("phase-keeps"));

  ASSERT_EQ(report.verdict.kind, VerdictKind::Leak);
  const model::Finding* finding = find_finding(report, "leak-in-process");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->phase, "eval");
  EXPECT_THAT(all_evidence(*finding), HasSubstr("allocated in its 14 visits is still live"));
}

TEST_F(Report, phase_that_spikes_is_named_and_blamed_for_nothing) {
  const model::Report report = report_of(record("phase-spikes"));

  ASSERT_EQ(report.verdict.kind, VerdictKind::Spikes);
  const model::Finding* finding = find_finding(report, "validation-spikes");
  ASSERT_NE(finding, nullptr);
  EXPECT_THAT(finding->title, HasSubstr("in eval recover"));
  EXPECT_EQ(find_finding(report, "phase-keeps"), nullptr);
}

TEST_F(Report, age_of_pss_is_reported) {
  const std::string path = (folder_ / "run.lowtide").string();
  {
    auto writer = record::Writer::create(path, scenario_header());
    ASSERT_TRUE(writer.ok());
    const model::ProcessInfo info{.id = model::ProcessId{1}, .pid = 100};
    writer.value().begin_process(info);
    for (int at = 0; at < 60; ++at) {
      model::Tick tick;
      tick.at_s = at;
      tick.target = {.bytes = 5'000'000, .rss_bytes = 5'000'000, .exact = true};
      tick.processes.push_back({.id = info.id, .own_bytes = 5'000'000, .rss_bytes = 5'000'000});
      if (at == 19) tick.processes.back().pss = model::PssReading{};
      writer.value().add(tick);
      writer.value().commit();
    }
    writer.value().close();
  }

  const model::Report report = report_of(path);

  ASSERT_EQ(report.processes.size(), 1U);
  ASSERT_TRUE(report.processes[0].bytes.pss_age_s);
  EXPECT_DOUBLE_EQ(*report.processes[0].bytes.pss_age_s, 40.0);
}

TEST_F(Report, what_came_and_went_unseen_is_a_lower_bound_and_said_so) {
  const std::string path = (folder_ / "counted.lowtide").string();
  {
    auto writer = record::Writer::create(path, scenario_header());
    ASSERT_TRUE(writer.ok());
    find_scenario("warmup")->play(writer.value());
    writer.value().set_meta<record::Meta::ShortLivedProcesses>(37);
    writer.value().set_meta<record::Meta::ShortLivedAtMost>(5200);
    writer.value().close();
  }

  const model::Report report = report_of(path);
  const model::Report silent = report_of(record("wrapper"));

  EXPECT_EQ(report.short_lived.unseen_at_least, 37U);
  const model::Finding* finding = find_finding(report, "short-lived-processes");
  ASSERT_NE(finding, nullptr);
  EXPECT_THAT(finding->title, HasSubstr("at least 37"));
  EXPECT_THAT(all_evidence(*finding), HasSubstr("5,200 pids"));
  EXPECT_FALSE(silent.short_lived.unseen_at_least);
}

TEST_F(Report, every_scenario_is_deterministic_and_has_a_reason) {
  for (const Scenario& scenario : scenarios().first(scenarios().size() / base::effort(1U, 3U))) {
    const std::string path = (folder_ / std::string(scenario.name)).string();
    ASSERT_EQ(write_scenario(scenario, path), "");

    const model::Report first = report_of(path);
    const model::Report second = report_of(path);

    EXPECT_FALSE(first.verdict.reason.empty()) << scenario.name;
    EXPECT_EQ(first.verdict.kind, second.verdict.kind) << scenario.name;
    ASSERT_EQ(first.findings.size(), second.findings.size()) << scenario.name;
    for (std::size_t at = 0; at < first.findings.size(); ++at) {
      EXPECT_EQ(first.findings[at].title, second.findings[at].title);
      const model::Finding& finding = first.findings[at];
      EXPECT_FALSE(finding.evidence.empty()) << finding.title;
      const model::Severity gravest = finding.id.row().gravest;
      const bool may_be_urgent =
          gravest == model::Severity::High && finding.severity == model::Severity::Critical;
      EXPECT_TRUE(may_be_urgent || finding.severity >= gravest) << finding.title;
    }
  }
}

}  // namespace
}  // namespace lowtide::explain

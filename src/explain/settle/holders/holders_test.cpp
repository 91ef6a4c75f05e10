#include "explain/settle/holders/holders.h"

#include <gtest/gtest.h>

#include <utility>

namespace lowtide::explain {
namespace {

using model::VerdictKind;

constexpr std::uint64_t kHeldMB = 1'000'000;

// A process that grows by 1 MB per second, with a snapshot every ten seconds.
class Job {
 public:
  explicit Job(std::vector<std::uint64_t> list_lengths, model::CacheKind cache = model::CacheKind::None,
               std::uint64_t bound = 0) {
    ProcessEvidence process;
    process.info.id = model::ProcessId{0};
    process.info.pid = 77;
    const auto seconds = static_cast<double>(10 * list_lengths.size());
    for (double at_s = 0; at_s <= seconds; at_s += 1) {
      SeriesPoint point;
      point.at_s = at_s;
      point.low_bytes = 100 * kHeldMB + static_cast<std::uint64_t>(at_s) * kHeldMB;
      point.high_bytes = point.low_bytes;
      process.series.push_back(point);
      evidence.target.push_back(point);
    }
    evidence.processes.push_back(process);
    for (std::size_t at = 0; at < list_lengths.size(); ++at) {
      model::Snapshot snapshot;
      snapshot.has_holders = true;
      snapshot.at_s = static_cast<double>(10 * at);
      snapshot.object_bytes = 50 * kHeldMB + list_lengths[at] * kHeldMB;
      model::HeldNode node;
      node.path = "__main__.kept";
      node.type = "list";
      node.length = list_lengths[at];
      node.retained_bytes = list_lengths[at] * kHeldMB;
      node.cache = cache;
      node.bound = bound;
      snapshot.nodes.push_back(node);
      evidence.snapshots.push_back({model::ProcessId{0}, snapshot});
    }
    set_windows(evidence);
  }

  Evidence evidence;
};

model::Verdict open_verdict() {
  model::Verdict verdict;
  verdict.kind = VerdictKind::Inconclusive;
  verdict.lean = model::Lean{VerdictKind::Leak, 0.7};
  return verdict;
}

TEST(Holders, list_that_gains_at_every_snapshot_settles_a_leak) {
  const Job run({10, 20, 30, 40});
  const auto holders = find_holders(run.evidence);
  ASSERT_EQ(holders.size(), 1U);
  ASSERT_EQ(holders[0].grown.size(), 1U);
  EXPECT_EQ(holders[0].grown[0].gains, 3U);
  EXPECT_TRUE(is_kept(holders[0], holders[0].grown[0]));
  model::Verdict verdict = open_verdict();
  verdict = settle(verdict, holder_arguments(holders, run.evidence));
  EXPECT_EQ(verdict.kind, VerdictKind::Leak);
  EXPECT_EQ(verdict.basis.back(), "holders");
  EXPECT_NE(verdict.reason.find("__main__.kept"), std::string::npos);
}

TEST(Holders,
     list_that_keeps_what_a_leaking_line_allocates_is_its_holder_though_resident_memory_grew_by_twice_that) {
  const Job run({5, 10, 15, 20});
  const auto holders = find_holders(run.evidence);
  const HeldGrowth& list = holders.at(0).grown.at(0);
  Sites sites;
  SiteGroup& line = sites.groups.emplace_back();
  line.process = holders[0].process;
  line.change_bytes = 18.0 * kHeldMB;

  EXPECT_FALSE(is_kept(holders[0], list));
  EXPECT_FALSE(keeps_what_leaks(sites, holders[0], list)) << "no line leaks";
  line.verdict.kind = VerdictKind::Leak;
  EXPECT_TRUE(keeps_what_leaks(sites, holders[0], list));
  line.change_bytes = 40.0 * kHeldMB;
  EXPECT_FALSE(keeps_what_leaks(sites, holders[0], list)) << "others keep most of it";
  line.change_bytes = 18.0 * kHeldMB;
  line.process.pid = 78;
  EXPECT_FALSE(keeps_what_leaks(sites, holders[0], list)) << "in another process";
}

// A line of the process that has leaked 1 MB per second since the start.
Sites leaking_line(const Evidence& evidence) {
  Sites out;
  SiteGroup& line = out.groups.emplace_back();
  line.process = evidence.processes.front().info;
  line.verdict.kind = VerdictKind::Leak;
  for (const SeriesPoint& point : evidence.target) {
    line.live.push_back(point);
    line.live.back().low_bytes = static_cast<std::uint64_t>(point.at_s) * kHeldMB;
  }
  return out;
}

TEST(Holders, list_in_the_only_snapshot_holds_what_a_line_had_leaked_by_then) {
  Job run({0, 0, 19});
  run.evidence.snapshots.erase(run.evidence.snapshots.begin(), run.evidence.snapshots.begin() + 2);
  auto holders = find_holders(run.evidence);

  drop_unproven(holders, leaking_line(run.evidence));

  ASSERT_EQ(holders.size(), 1U);
  EXPECT_EQ(holders[0].snapshots, 1U);
  ASSERT_EQ(holders[0].grown.size(), 1U);
  EXPECT_EQ(holders[0].grown[0].holder.node.path, "__main__.kept");
  EXPECT_FALSE(is_kept(holders[0], holders[0].grown[0])) << "nothing shows that it grew";
}

TEST(Holders, list_in_the_only_snapshot_that_is_larger_than_the_leak_is_not_its_holder) {
  Job run({0, 0, 90});
  run.evidence.snapshots.erase(run.evidence.snapshots.begin(), run.evidence.snapshots.begin() + 2);
  auto holders = find_holders(run.evidence);

  drop_unproven(holders, leaking_line(run.evidence));

  EXPECT_TRUE(holders.empty());
}

TEST(Holders, list_that_is_gone_in_the_snapshot_at_the_end_is_named_from_the_snapshot_before) {
  Job run({0, 0, 19, 0});
  run.evidence.snapshots.erase(run.evidence.snapshots.begin(), run.evidence.snapshots.begin() + 2);
  run.evidence.snapshots.back().snapshot.is_at_end = true;
  run.evidence.snapshots.back().snapshot.nodes.clear();
  auto holders = find_holders(run.evidence);

  drop_unproven(holders, leaking_line(run.evidence));

  ASSERT_EQ(holders.size(), 1U);
  EXPECT_EQ(holders[0].grown.at(0).holder.node.path, "__main__.kept");
}

TEST(Holders, list_in_a_snapshot_and_in_one_after_the_last_step_has_grown) {
  Job run({0, 0, 12, 22});
  run.evidence.snapshots.erase(run.evidence.snapshots.begin(), run.evidence.snapshots.begin() + 2);
  run.evidence.steps = {.known = true, .first_at_s = 0, .last_at_s = 29};
  const auto holders = find_holders(run.evidence);

  ASSERT_EQ(holders.size(), 1U);
  EXPECT_EQ(holders[0].snapshots, 2U);
  ASSERT_EQ(holders[0].grown.size(), 1U);
  EXPECT_EQ(holders[0].grown[0].holder.growth_length, 10);
}

// The process grows no more for `seconds` after the last snapshot.
void stay_flat(Evidence& evidence, int seconds) {
  for (RecordedSeries* series : {&evidence.target, &evidence.processes.front().series}) {
    for (int at = 0; at < seconds; ++at) {
      series->push_back(series->back());
      series->back().at_s += 1;
    }
  }
  set_windows(evidence);
}

TEST(Holders, list_of_a_process_that_has_stopped_growing_since_the_last_snapshot_settles_nothing) {
  Job run({10, 20, 30, 40});
  stay_flat(run.evidence, 40);
  const auto holders = find_holders(run.evidence);
  ASSERT_EQ(holders.size(), 1U);

  EXPECT_TRUE(holders[0].has_stopped_since);
  EXPECT_FALSE(is_kept(holders[0], holders[0].grown.at(0)));
  EXPECT_EQ(settle(open_verdict(), holder_arguments(holders, run.evidence)).kind, VerdictKind::Inconclusive);
}

TEST(Holders, list_of_a_process_that_was_flat_for_a_moment_still_settles_a_leak) {
  Job run({10, 20, 30, 40});
  stay_flat(run.evidence, 3);

  const auto holders = find_holders(run.evidence);

  EXPECT_FALSE(holders.at(0).has_stopped_since);
  EXPECT_EQ(settle(open_verdict(), holder_arguments(holders, run.evidence)).kind, VerdictKind::Leak);
}

// The verdict of a job, in which some snapshots do not show the list: it is empty then, or gone.
VerdictKind settled_without(std::vector<std::uint64_t> list_lengths,
                            const std::vector<std::size_t>& forgotten) {
  Job run(std::move(list_lengths));
  for (const std::size_t snapshot : forgotten) run.evidence.snapshots[snapshot].snapshot.nodes.clear();
  model::Verdict verdict = open_verdict();
  verdict = settle(verdict, holder_arguments(find_holders(run.evidence), run.evidence));
  return verdict.kind;
}

TEST(Holders, list_that_was_empty_at_the_first_snapshot_has_gained) {
  EXPECT_EQ(settled_without({0, 10, 30, 30}, {0}), VerdictKind::Leak);
}

TEST(Holders, list_that_came_once_and_hardly_grew_settles_nothing) {
  EXPECT_EQ(settled_without({0, 30, 30, 31}, {0}), VerdictKind::Inconclusive);
}

TEST(Holders, list_that_was_gone_in_between_settles_nothing) {
  EXPECT_EQ(settled_without({0, 20, 0, 40}, {0, 2}), VerdictKind::Inconclusive);
}

TEST(Holders, list_that_also_loses_settles_nothing) {
  const Job run({10, 40, 30, 45});
  model::Verdict verdict = open_verdict();
  verdict = settle(verdict, holder_arguments(find_holders(run.evidence), run.evidence));
  EXPECT_EQ(verdict.kind, VerdictKind::Inconclusive);
}

// What the variable holds is on a device.
Job job_on_device(std::vector<std::uint64_t> held_mb) {
  Job run(std::move(held_mb));
  for (auto& [process, snapshot] : run.evidence.snapshots) {
    model::HeldNode& kept = snapshot.nodes[0];
    kept.device_bytes = kept.retained_bytes;
    kept.retained_bytes = 0;
    snapshot.device_bytes = kept.device_bytes;
    snapshot.object_bytes = 50 * kHeldMB;
  }
  return run;
}

TEST(Holders, tensors_that_no_longer_grow_on_a_device_settle_nothing) {
  for (const auto& held_mb :
       {std::vector<std::uint64_t>{10, 30, 40, 40}, std::vector<std::uint64_t>{10, 40, 60, 70, 71}}) {
    const Job run = job_on_device(held_mb);
    const auto holders = find_holders(run.evidence);
    ASSERT_EQ(holders.at(0).grown.size(), 1U);
    EXPECT_FALSE(is_kept_on_device(holders[0], holders[0].grown[0]));
  }
}

TEST(Holders, tensors_on_a_device_say_nothing_of_host_memory) {
  const Job run = job_on_device({10, 20, 30, 40});
  const auto holders = find_holders(run.evidence);
  ASSERT_EQ(holders.at(0).grown.size(), 1U);
  EXPECT_TRUE(is_kept_on_device(holders[0], holders[0].grown[0]));
  EXPECT_FALSE(is_kept(holders[0], holders[0].grown[0]));
  EXPECT_DOUBLE_EQ(holders[0].grown[0].of_device, 1.0);
  std::vector<model::GpuReport> gpus(2);
  gpus[0].pids = {holders[0].process.pid};
  gpus[1].pids = {holders[0].process.pid + 1};  // of somebody else
  for (model::GpuReport& gpu : gpus) {
    gpu.series.verdict = settle(open_verdict(), holder_arguments(gpu, holders));
  }
  EXPECT_EQ(gpus[0].series.verdict.kind, VerdictKind::Leak);
  EXPECT_EQ(gpus[1].series.verdict.kind, VerdictKind::Inconclusive);
}

TEST(Holders, snapshot_at_the_end_counts_where_it_shows_more_and_is_no_loss_where_it_does_not) {
  Job kept({10, 20, 30, 40});
  kept.evidence.snapshots.back().snapshot.is_at_end = true;
  EXPECT_EQ(find_holders(kept.evidence)[0].snapshots, 4U);
  EXPECT_EQ(find_holders(kept.evidence)[0].grown[0].holder.growth_length, 30);

  Job gone({10, 20, 30, 0});
  gone.evidence.snapshots.back().snapshot.is_at_end = true;
  const auto holders = find_holders(gone.evidence);
  EXPECT_EQ(holders[0].snapshots, 3U);
  ASSERT_EQ(holders[0].grown.size(), 1U);
  EXPECT_TRUE(is_kept(holders[0], holders[0].grown[0]));

  const Job lost({10, 20, 30, 0});
  EXPECT_TRUE(find_holders(lost.evidence)[0].grown.empty());
}

TEST(Holders, three_snapshots_within_seconds_settle_nothing) {
  Job run({10, 20, 30});
  for (auto& [process, snapshot] : run.evidence.snapshots) snapshot.at_s /= 10;
  const auto holders = find_holders(run.evidence);
  ASSERT_FALSE(holders.at(0).grown.empty());
  EXPECT_TRUE(holder_arguments(holders[0]).empty());
}

TEST(Holders, snapshot_after_the_last_step_does_not_erase_what_earlier_ones_had) {
  Job gone({10, 20, 30, 0});
  gone.evidence.steps = {.known = true, .first_at_s = 0, .last_at_s = 25};
  const auto holders = find_holders(gone.evidence);
  ASSERT_EQ(holders[0].grown.size(), 1U);
  EXPECT_TRUE(is_kept(holders[0], holders[0].grown[0]));
}

TEST(Holders, two_snapshots_after_the_work_do_not_erase_what_earlier_ones_had) {
  Job gone({10, 20, 30, 1, 0});
  gone.evidence.steps = {.known = true, .first_at_s = 0, .last_at_s = 25};
  gone.evidence.snapshots.back().snapshot.is_at_end = true;
  gone.evidence.snapshots.back().snapshot.nodes.clear();

  const auto holders = find_holders(gone.evidence);

  ASSERT_EQ(holders[0].grown.size(), 1U);
  EXPECT_EQ(holders[0].snapshots, 3U);
  EXPECT_TRUE(is_kept(holders[0], holders[0].grown[0]));
}

TEST(Holders, what_a_function_had_that_returned_is_named_though_the_allocator_keeps_the_memory) {
  Job gone({10, 20, 30, 0});
  gone.evidence.snapshots.back().snapshot.nodes.clear();
  ASSERT_TRUE(find_holders(gone.evidence)[0].grown.empty()) << "while the process runs, it may be a buffer";
  gone.evidence.processes[0].info.ended_s = 41;

  const auto holders = find_holders(gone.evidence);

  ASSERT_EQ(holders[0].grown.size(), 1U);
  EXPECT_EQ(holders[0].grown[0].holder.node.path, "__main__.kept");
  EXPECT_FALSE(is_kept(holders[0], holders[0].grown[0]));
}

TEST(Holders, what_an_ended_process_gave_back_is_named_but_proves_nothing) {
  Job gone({10, 20, 30, 0});
  ProcessEvidence& process = gone.evidence.processes[0];
  process.info.ended_s = 40;
  for (SeriesPoint& point : process.series) {
    if (point.at_s > 25) point.low_bytes = point.high_bytes = 100 * kHeldMB;
  }
  const auto holders = find_holders(gone.evidence);
  ASSERT_EQ(holders[0].grown.size(), 1U);
  EXPECT_EQ(holders[0].grown[0].holder.node.path, "__main__.kept");
  EXPECT_FALSE(is_kept(holders[0], holders[0].grown[0]));
}

TEST(Holders, list_that_a_loop_runs_over_at_one_snapshot_is_the_same_list) {
  for (const std::size_t looked_at_in_a_loop : {1U, 3U}) {
    Job run({10, 20, 30, 40});
    for (auto& [process, snapshot] : run.evidence.snapshots) snapshot.nodes[0].address = 4096;
    run.evidence.snapshots[looked_at_in_a_loop].snapshot.nodes[0].path =
        "__main__.evaluate.<locals>.<listcomp>..0.<list>";
    const auto holders = find_holders(run.evidence);
    ASSERT_EQ(holders.at(0).grown.size(), 1U);
    EXPECT_EQ(holders[0].grown[0].holder.node.path, "__main__.kept");
    EXPECT_EQ(holders[0].grown[0].gains, 3U);
    EXPECT_EQ(holders[0].grown[0].losses, 0U);
  }
}

TEST(Holders, two_snapshots_settle_nothing) {
  const Job run({10, 40});
  model::Verdict verdict = open_verdict();
  verdict = settle(verdict, holder_arguments(find_holders(run.evidence), run.evidence));
  EXPECT_EQ(verdict.kind, VerdictKind::Inconclusive);
}

TEST(Holders, small_part_of_the_growth_settles_nothing) {
  const Job run({10, 12, 14, 16});
  model::Verdict verdict = open_verdict();
  verdict = settle(verdict, holder_arguments(find_holders(run.evidence), run.evidence));
  EXPECT_EQ(verdict.kind, VerdictKind::Inconclusive);
}

TEST(Holders, cache_that_is_not_full_takes_a_leak_back) {
  const Job run({10, 20, 30, 40}, model::CacheKind::Bounded, 256);
  model::Verdict verdict = open_verdict();
  verdict.kind = VerdictKind::Leak;
  verdict = settle(verdict, holder_arguments(find_holders(run.evidence), run.evidence));
  EXPECT_EQ(verdict.kind, VerdictKind::Inconclusive);
  EXPECT_EQ(verdict.lean->kind, VerdictKind::Warmup);
  EXPECT_NE(verdict.reason.find("40 of 256 entries"), std::string::npos);
}

TEST(Holders, list_that_gains_less_and_less_is_left_open) {
  const Job run({10, 25, 37, 46, 53, 58});
  model::Verdict verdict = open_verdict();
  verdict = settle(verdict, holder_arguments(find_holders(run.evidence), run.evidence));
  EXPECT_EQ(verdict.kind, VerdictKind::Inconclusive);
  EXPECT_EQ(verdict.lean->kind, VerdictKind::Warmup);
  EXPECT_NE(verdict.reason.find("less from snapshot to snapshot"), std::string::npos);
}

TEST(Holders, list_that_gains_unevenly_goes_on_as_far_as_is_known) {
  for (const std::vector<std::uint64_t>& lengths :
       {std::vector<std::uint64_t>{10, 25, 35, 47, 55, 60}, {10, 20, 29, 38, 46, 54}, {10, 25, 35, 42}}) {
    const Job run(lengths);
    model::Verdict verdict = open_verdict();
    verdict = settle(verdict, holder_arguments(find_holders(run.evidence), run.evidence));
    EXPECT_EQ(verdict.kind, VerdictKind::Leak) << testing::PrintToString(lengths);
  }
}

TEST(Holders, what_filled_up_and_gained_no_more_is_full) {
  const auto is_full_after = [](std::vector<std::uint64_t> lengths) {
    const auto holders = find_holders(Job(std::move(lengths)).evidence);
    return is_full(holders.at(0).grown.at(0));
  };
  EXPECT_TRUE(is_full_after({10, 30, 50, 50}));
  EXPECT_FALSE(is_full_after({10, 30, 50, 70}));
  EXPECT_FALSE(is_full_after({10, 50, 50, 50})) << "it came at once: no cache that fills";
  EXPECT_FALSE(is_full_after({10, 11, 12, 12})) << "not what the process grew by";
}

TEST(Holders, verdict_that_is_closed_stays) {
  const Job run({10, 20, 30, 40});
  model::Verdict verdict;
  verdict.kind = VerdictKind::Warmup;
  verdict = settle(verdict, holder_arguments(find_holders(run.evidence), run.evidence));
  EXPECT_EQ(verdict.kind, VerdictKind::Warmup);
}

}  // namespace
}  // namespace lowtide::explain

#include "explain/log/primary_series.h"

#include <gtest/gtest.h>

namespace lowtide::explain {
namespace {

using model::Quantity;
using model::VerdictKind;

model::SeriesReport series(Quantity quantity, VerdictKind kind, std::uint64_t first, std::uint64_t last) {
  model::SeriesReport report;
  report.quantity = quantity;
  report.verdict.kind = kind;
  report.verdict.floor = {first, last};
  report.peak_bytes = last;
  return report;
}

std::size_t primary_of(const std::vector<model::SeriesReport>& all) {
  std::vector<const model::SeriesReport*> candidates;
  candidates.reserve(all.size());
  for (const model::SeriesReport& one : all) candidates.push_back(&one);
  return find_primary_series(candidates);
}

TEST(PrimarySeries, process_comes_before_container_and_system) {
  EXPECT_EQ(primary_of({series(Quantity::SystemMemory, VerdictKind::Leak, 100, 900),
                        series(Quantity::ContainerMemory, VerdictKind::Leak, 100, 900),
                        series(Quantity::ProcessMemory, VerdictKind::Stable, 100, 100)}),
            2U);
}

TEST(PrimarySeries, leaking_process_comes_before_larger_ones) {
  EXPECT_EQ(primary_of({series(Quantity::ProcessMemory, VerdictKind::Warmup, 100, 9000),
                        series(Quantity::ProcessMemory, VerdictKind::Leak, 100, 200)}),
            1U);
}

TEST(PrimarySeries, of_two_leaks_the_larger_growth_is_primary) {
  EXPECT_EQ(primary_of({series(Quantity::ProcessMemory, VerdictKind::Leak, 100, 200),
                        series(Quantity::ProcessMemory, VerdictKind::Leak, 100, 900)}),
            1U);
}

TEST(PrimarySeries, small_helper_that_grew_a_little_is_not_primary) {
  EXPECT_EQ(primary_of({series(Quantity::ProcessMemory, VerdictKind::Warmup, 10, 40),
                        series(Quantity::ProcessMemory, VerdictKind::Stable, 20'000, 20'000)}),
            1U);
}

TEST(PrimarySeries, leak_on_a_gpu_is_not_passed_over) {
  EXPECT_EQ(primary_of({series(Quantity::ProcessMemory, VerdictKind::Stable, 100, 100),
                        series(Quantity::GpuUsed, VerdictKind::Leak, 100, 900)}),
            1U);
  EXPECT_EQ(primary_of({series(Quantity::GpuUsed, VerdictKind::Leak, 100, 900),
                        series(Quantity::ProcessMemory, VerdictKind::Leak, 100, 200)}),
            1U);
}

model::Verdict said(VerdictKind kind, std::uint64_t samples) {
  model::Verdict verdict;
  verdict.kind = kind;
  verdict.samples = samples;
  return verdict;
}

TEST(LaterRunSpeaks, the_latest_conclusive_run_of_some_length) {
  EXPECT_TRUE(later_run_is_primary(said(VerdictKind::Inconclusive, 7), said(VerdictKind::Warmup, 24)));
  EXPECT_TRUE(later_run_is_primary(said(VerdictKind::Leak, 100), said(VerdictKind::Stable, 120)));
  EXPECT_FALSE(later_run_is_primary(said(VerdictKind::Warmup, 24), said(VerdictKind::Inconclusive, 7)));
}

TEST(LaterRunSpeaks, a_few_readings_do_not_overrule_hundreds) {
  EXPECT_FALSE(later_run_is_primary(said(VerdictKind::Stable, 800), said(VerdictKind::Spikes, 10)));
  EXPECT_FALSE(later_run_is_primary(said(VerdictKind::Leak, 300), said(VerdictKind::Stable, 60)));
  EXPECT_FALSE(
      later_run_is_primary(said(VerdictKind::Inconclusive, 800), said(VerdictKind::Inconclusive, 8)));
}

}  // namespace
}  // namespace lowtide::explain

#include "observe/tree/shared_pages.h"

#include <gtest/gtest.h>

namespace lowtide::observe {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1024} * 1024;

TEST(SharedOnceTest, a_fork_adds_nothing_until_it_writes) {
  const CheapCounters first{
      .anon_bytes = 300 * kMiB, .shmem_bytes = 0, .file_bytes = 40 * kMiB, .swap_bytes = 0};
  const SharedAccount worker(first, true);

  CheapCounters later = first;
  later.anon_bytes += 5 * kMiB;

  EXPECT_EQ(worker.contribution(first).held_bytes(), 0U);
  EXPECT_EQ(worker.contribution(later).held_bytes(), 5 * kMiB);
  EXPECT_EQ(worker.contribution(later).own_bytes, 5 * kMiB);
}

TEST(SharedOnceTest, a_program_of_its_own_adds_all_it_has) {
  const CheapCounters first{
      .anon_bytes = 30 * kMiB, .shmem_bytes = 2 * kMiB, .file_bytes = 9 * kMiB, .swap_bytes = kMiB};

  const SharedAccount process(first, false);

  EXPECT_EQ(process.contribution(first).held_bytes(), 33 * kMiB);
}

TEST(SharedOnceTest, between_sweeps_pss_goes_on_as_the_counters_move) {
  const CheapCounters at_sweep{
      .anon_bytes = 400 * kMiB, .shmem_bytes = 100 * kMiB, .file_bytes = 0, .swap_bytes = 0};
  SharedAccount process(at_sweep, false);
  process.settle(at_sweep,
                 {.pss_bytes = 250 * kMiB,
                  .anon_bytes = 200 * kMiB,
                  .shmem_bytes = 50 * kMiB,
                  .private_dirty_bytes = 150 * kMiB,
                  .uss_bytes = 150 * kMiB},
                 0);

  CheapCounters later = at_sweep;
  later.anon_bytes += 10 * kMiB;
  later.shmem_bytes += 20 * kMiB;
  const Contribution moved = process.contribution(later);

  EXPECT_EQ(moved.anon_bytes, 210 * kMiB);
  EXPECT_EQ(moved.shmem_bytes, 60 * kMiB);  // half of what it maps was its share
}

TEST(SharedOnceTest, a_fall_never_goes_below_nothing) {
  const CheapCounters at_sweep{.anon_bytes = 400 * kMiB, .shmem_bytes = 0, .file_bytes = 0, .swap_bytes = 0};
  SharedAccount process(at_sweep, false);
  process.settle(at_sweep, {.pss_bytes = 100 * kMiB, .anon_bytes = 100 * kMiB}, 0);

  const Contribution moved = process.contribution({.anon_bytes = 0});

  EXPECT_EQ(moved.held_bytes(), 0U);
}

TEST(SharedOnceTest, memory_of_one_kind_does_not_make_up_for_another) {
  const CheapCounters at_sweep{.anon_bytes = 100 * kMiB, .file_bytes = 50 * kMiB};
  SharedAccount process(at_sweep, false);
  process.settle(at_sweep, {.pss_bytes = 150 * kMiB, .anon_bytes = 100 * kMiB}, 0);

  EXPECT_EQ(process.moved_bytes(at_sweep), 0U);
  EXPECT_EQ(process.moved_bytes({.anon_bytes = 110 * kMiB, .file_bytes = 40 * kMiB}), 20 * kMiB);
}

TEST(SharedOnceTest, batches_kept_in_shared_memory_are_the_keepers_own) {
  const CheapCounters at_sweep{
      .anon_bytes = 100 * kMiB, .shmem_bytes = 200 * kMiB, .file_bytes = 0, .swap_bytes = 0};
  SharedAccount alone(at_sweep, false);
  SharedAccount shared(at_sweep, false);

  alone.settle(at_sweep,
               {.anon_bytes = 100 * kMiB, .shmem_bytes = 200 * kMiB, .private_dirty_bytes = 300 * kMiB}, 0);
  shared.settle(at_sweep,
                {.anon_bytes = 100 * kMiB, .shmem_bytes = 100 * kMiB, .private_dirty_bytes = 100 * kMiB}, 0);

  EXPECT_EQ(alone.contribution(at_sweep).own_bytes, 300 * kMiB);
  EXPECT_EQ(shared.contribution(at_sweep).own_bytes, 300 * kMiB);
}

}  // namespace
}  // namespace lowtide::observe

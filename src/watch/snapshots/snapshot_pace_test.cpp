#include "watch/snapshots/snapshot_pace.h"

#include <gtest/gtest.h>

namespace lowtide::watch {
namespace {

constexpr std::uint64_t kGiB = 1ULL << 30U;

// On an idle machine.
SnapshotCost cost(double fork_s, double walk_s, std::uint64_t forked_bytes = kGiB / 4) {
  return {.fork_s = fork_s, .walk_s = walk_s, .whole_s = walk_s, .forked_bytes = forked_bytes};
}

TEST(SnapshotPace, small_job_is_walked_over_soon_and_then_less_often) {
  SnapshotPace pace;
  EXPECT_FALSE(pace.is_due(3, 100 << 20, false));
  int taken = 0;
  for (double age_s = 0; age_s < 24 * 3600; age_s += 0.25) {
    if (!pace.is_due(age_s, 100 << 20, false)) continue;
    pace.note_asked(age_s);
    pace.note_taken(cost(0.002, 0.1));
    ++taken;
    EXPECT_TRUE(age_s >= 30 || taken <= 6);
  }
  EXPECT_GE(taken, 15);
  EXPECT_LE(taken, 40);
}

TEST(SnapshotPace, first_one_comes_after_the_first_steps_and_not_while_libraries_are_loaded) {
  const SnapshotPace pace;
  EXPECT_FALSE(pace.is_due(1, 100 << 20, false, StartUp::Stepping));
  EXPECT_TRUE(pace.is_due(2, 100 << 20, false, StartUp::Stepping));
  EXPECT_FALSE(pace.is_due(10, 100 << 20, false, StartUp::Loading));
  EXPECT_TRUE(pace.is_due(21, 100 << 20, false, StartUp::Loading));
}

TEST(SnapshotPace, none_is_taken_in_an_import_of_a_minute_and_those_of_a_longer_one_do_not_count) {
  SnapshotPace pace;
  EXPECT_FALSE(pace.is_due(50, 100 << 20, true, StartUp::Importing));
  double age_s = 60;
  for (int taken = 0; taken < SnapshotPace::kFirstRequests; age_s += 1) {
    if (!pace.is_due(age_s, 100 << 20, false, StartUp::Importing)) continue;
    pace.note_asked(age_s, StartUp::Importing);
    pace.note_taken(cost(0.004, 0.4));
    ++taken;
  }
  EXPECT_FALSE(pace.is_due(age_s + 10, 100 << 20, false, StartUp::Importing));

  EXPECT_TRUE(pace.is_due(age_s + 10, 100 << 20, false, StartUp::Unknown));
}

TEST(SnapshotPace, import_in_mid_run_gives_no_more_snapshots) {
  SnapshotPace pace;
  for (const double age_s : {10, 14, 18, 22}) {
    pace.note_asked(age_s);
    pace.note_taken(cost(0.004, 0.4));
  }
  pace.note_asked(100, StartUp::Importing);

  EXPECT_FALSE(pace.is_due(110, 100 << 20, false, StartUp::Unknown));
}

TEST(SnapshotPace, those_of_a_long_start_up_do_not_delay_the_first_ones_of_the_steps) {
  SnapshotPace pace;
  for (const double age_s : {4, 8, 11, 14}) {
    pace.note_asked(age_s);
    pace.note_taken(cost(0.008, 0.4));
  }
  EXPECT_FALSE(pace.is_due(20, kGiB / 4, false));

  int taken = 0;
  for (double age_s = 18; age_s < 45; age_s += 0.25) {
    if (!pace.is_due(age_s, kGiB / 4, false, StartUp::Stepping)) continue;
    pace.note_asked(age_s, StartUp::Stepping);
    ++taken;
  }
  EXPECT_GE(taken, 4);
  EXPECT_LE(taken, 6);
}

TEST(SnapshotPace, first_ones_of_a_job_of_a_gigabyte_fit_into_ten_seconds) {
  SnapshotPace pace;
  int taken = 0;
  for (double age_s = 3; age_s < 13; age_s += 0.25) {
    if (!pace.is_due(age_s, kGiB, false, StartUp::Stepping)) continue;
    pace.note_asked(age_s, StartUp::Stepping);
    pace.note_taken(cost(0.012, 0.3, kGiB));
    ++taken;
  }
  EXPECT_GE(taken, 3);
}

TEST(SnapshotPace, run_of_half_a_minute_on_a_busy_machine_has_several) {
  SnapshotPace pace;
  int taken = 0;
  for (double age_s = 0; age_s < 30; age_s += 1) {
    if (!pace.is_due(age_s, 400 << 20, false)) continue;
    pace.note_asked(age_s);
    // It waits for a CPU for nine tenths of the time, as measured with torch and 20 runnable threads on 2
    // CPUs.
    pace.note_taken({.fork_s = 0.006, .walk_s = 0.15, .whole_s = 6, .forked_bytes = 400 << 20});
    ++taken;
  }
  EXPECT_GE(taken, 3);
}

TEST(SnapshotPace, child_that_waits_for_a_processor_is_there_for_half_of_the_time_at_most) {
  SnapshotPace pace;
  double there_s = 0;
  for (double age_s = 0; age_s < 600; age_s += 0.25) {
    if (!pace.is_due(age_s, kGiB / 4, true, StartUp::Stepping)) continue;
    EXPECT_LE(there_s, 0.5 * age_s);
    pace.note_asked(age_s, StartUp::Stepping);
    pace.note_taken({.fork_s = 0.002, .walk_s = 0.01, .whole_s = 20, .forked_bytes = kGiB / 4});
    there_s += 20;
  }
  EXPECT_GT(there_s, 200);
}

TEST(SnapshotPace, measured_fork_counts_and_not_the_estimate) {
  SnapshotPace pace;
  EXPECT_FALSE(pace.is_due(20, 8 * kGiB, false, StartUp::Stepping));
  EXPECT_TRUE(pace.is_due(100, 8 * kGiB, false, StartUp::Stepping));

  pace.note_asked(100, StartUp::Stepping);
  pace.note_taken({.fork_s = 0.002, .walk_s = 0.3, .whole_s = 0.3, .forked_bytes = 8 * kGiB});  // huge pages

  EXPECT_TRUE(pace.is_due(104, 8 * kGiB, false, StartUp::Stepping));
  EXPECT_TRUE(pace.is_due(104, 12 * kGiB, false, StartUp::Stepping));
  EXPECT_FALSE(pace.is_due(104, 800 * kGiB, false, StartUp::Stepping));
}

TEST(SnapshotPace, pauses_stay_below_a_thousandth_of_the_time) {
  SnapshotPace pace;
  double paused_s = 0;
  for (double age_s = 0; age_s < 4 * 3600; age_s += 0.25) {
    if (!pace.is_due(age_s, 40 * kGiB, false)) continue;
    pace.note_asked(age_s);
    pace.note_taken(cost(0.5, 2, 40 * kGiB));
    paused_s += 0.5;
    EXPECT_LE(paused_s, 0.0011 * age_s);
  }
  EXPECT_GT(paused_s, 0);
}

TEST(SnapshotPace, reason_for_a_snapshot_shortens_the_wait_but_does_not_end_it) {
  SnapshotPace pace;
  for (const double age_s : {100, 300, 600, 1000}) pace.note_asked(age_s);
  pace.note_taken(cost(0.010, 0.2, kGiB / 2));
  EXPECT_FALSE(pace.is_due(1001.5, kGiB / 2, true));
  EXPECT_TRUE(pace.is_due(1003, kGiB / 2, true));
  EXPECT_FALSE(pace.is_due(1003, kGiB / 2, false));
}

TEST(SnapshotPace, snapshot_at_the_end_is_taken_unless_the_pause_is_long) {
  SnapshotPace pace;
  EXPECT_FALSE(pace.is_due_at_end(3, kGiB / 2));
  EXPECT_TRUE(pace.is_due_at_end(5, kGiB / 2));
  EXPECT_FALSE(pace.is_due_at_end(5, 40 * kGiB));
  pace.note_asked(100);
  EXPECT_TRUE(pace.is_due_at_end(100.5, kGiB / 2));  // what was asked for may never come
  pace.note_taken(cost(2, 1, kGiB / 2));
  EXPECT_FALSE(pace.is_due_at_end(101.5, kGiB / 2));
  pace.note_taken(cost(0.01, 1, kGiB / 2));
  EXPECT_TRUE(pace.is_due_at_end(101.5, kGiB / 2));
}

}  // namespace
}  // namespace lowtide::watch

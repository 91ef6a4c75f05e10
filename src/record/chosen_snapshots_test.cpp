#include "record/chosen_snapshots.h"

#include <gmock/gmock.h>

namespace lowtide::record {
namespace {

std::vector<RecordedSnapshot> snapshots_of(std::size_t processes, std::size_t of_each) {
  std::vector<RecordedSnapshot> all;
  for (std::size_t at = 0; at < of_each; ++at) {
    for (std::size_t process = 0; process < processes; ++process) {
      all.push_back({.process = static_cast<model::ProcessId>(process), .snapshot = {}});
      all.back().snapshot.at_s = static_cast<double>(at);
    }
  }
  return all;
}

std::vector<double> chosen_times(const std::vector<RecordedSnapshot>& all, std::uint32_t process) {
  std::vector<double> times;
  for (const RecordedSnapshot& each : all) {
    if (each.process == model::ProcessId{process} && each.snapshot.has_holders)
      times.push_back(each.snapshot.at_s);
  }
  return times;
}

TEST(ChosenSnapshots, few_are_all_chosen) {
  auto all = snapshots_of(2, 5);

  EXPECT_EQ(choose_snapshots(all, 10), 10U);
  EXPECT_THAT(chosen_times(all, 1), testing::ElementsAre(0, 1, 2, 3, 4));
}

TEST(ChosenSnapshots, of_many_the_first_and_last_of_each_process_remain) {
  auto all = snapshots_of(64, 31);

  const std::size_t chosen = choose_snapshots(all, 256);

  EXPECT_LE(chosen, 256U);
  for (std::uint32_t process = 0; process < 64; ++process) {
    const auto times = chosen_times(all, process);
    ASSERT_GE(times.size(), 3U);
    EXPECT_EQ(times.front(), 0);
    EXPECT_EQ(times.back(), 30);
  }
}

TEST(ChosenSnapshots, a_process_with_few_keeps_them_beside_one_with_many) {
  auto all = snapshots_of(1, 1'000);
  for (int at = 0; at < 4; ++at) all.push_back({.process = model::ProcessId{7}, .snapshot = {}});

  EXPECT_LE(choose_snapshots(all, 256), 256U);
  EXPECT_EQ(chosen_times(all, 7).size(), 4U);
}

TEST(ChosenSnapshots, more_processes_than_places_are_cut_off) {
  auto all = snapshots_of(1'000, 2);

  EXPECT_EQ(choose_snapshots(all, 256), 256U);
}

}  // namespace
}  // namespace lowtide::record

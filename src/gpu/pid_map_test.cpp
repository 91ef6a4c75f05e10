#include "gpu/pid_map.h"

#include <gtest/gtest.h>

#include <array>

namespace lowtide::gpu {
namespace {

TEST(PidMap, on_the_host_the_drivers_pid_is_the_same) {
  const std::array<std::int64_t, 2> in_container{500, 7};
  const std::array<KnownProcess, 1> known{{{500, in_container, false}}};

  const PidMap map(known, true);

  EXPECT_EQ(map.find(500).pid, 500);
  EXPECT_FALSE(map.find(7).pid.has_value());
  EXPECT_FALSE(map.find(7).unclear);
}

TEST(PidMap, on_the_host_another_users_process_is_not_mapped) {
  const std::array<KnownProcess, 1> known{{{500, {}, true}}};

  const PidMap map(known, true);

  EXPECT_FALSE(map.find(9999).pid.has_value());
  EXPECT_FALSE(map.find(9999).unclear);
}

TEST(PidMap, in_a_container_an_innocent_process_of_that_number_is_not_blamed) {
  const std::array<KnownProcess, 2> known{{{7, {}, true}, {40, {}, false}}};

  const PidMap map(known, false);

  EXPECT_FALSE(map.find(40).pid.has_value());
  EXPECT_TRUE(map.find(40).unclear);
}

TEST(PidMap, in_a_container_with_a_newer_driver_our_own_number_is_used) {
  const std::array<KnownProcess, 1> known{{{7, {}, true}}};

  const PidMap map(known, false);

  EXPECT_EQ(map.find(7).pid, 7);
}

TEST(PidMap, host_pid_that_a_container_cannot_see_is_unclear) {
  const std::array<KnownProcess, 1> known{{{7, {}, true}}};

  const PidMap map(known, false);

  EXPECT_FALSE(map.find(123456).pid.has_value());
  EXPECT_TRUE(map.find(123456).unclear);
}

TEST(PidMap, with_the_hosts_proc_in_a_container_the_inner_number_leads_to_the_process) {
  const std::array<std::int64_t, 2> first{500, 7};
  const std::array<KnownProcess, 1> known{{{500, first, true}}};

  const PidMap map(known, false);

  EXPECT_EQ(map.find(7).pid, 500);
  EXPECT_EQ(map.find(500).pid, 500);
}

TEST(PidMap, number_that_two_containers_have_is_unclear) {
  const std::array<std::int64_t, 2> first{500, 7};
  const std::array<std::int64_t, 2> second{600, 7};
  const std::array<KnownProcess, 2> known{{{500, first, true}, {600, second, true}}};

  const PidMap map(known, false);

  EXPECT_FALSE(map.find(7).pid.has_value());
  EXPECT_TRUE(map.find(7).unclear);
}

TEST(PidMap, first_pid_namespace_is_known_by_its_number) {
  EXPECT_TRUE(is_initial_pid_namespace("pid:[4026531836]"));
  EXPECT_FALSE(is_initial_pid_namespace("pid:[4026532201]"));
  EXPECT_FALSE(is_initial_pid_namespace(""));
}

}  // namespace
}  // namespace lowtide::gpu

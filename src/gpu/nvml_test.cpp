#include "gpu/nvml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace lowtide::gpu {
namespace {

constexpr std::uint64_t kGiB = 1ULL << 30U;

TEST(Nvml, machine_without_the_library_is_unsupported_and_says_why) {
  const auto nvml = Nvml::load("libnvidia-ml-not-here.so.1");

  ASSERT_FALSE(nvml);
  EXPECT_EQ(nvml.error().code, base::ErrorCode::Unsupported);
  EXPECT_THAT(nvml.error().message, testing::HasSubstr("libnvidia-ml-not-here.so.1"));
}

#ifndef LOWTIDE_STATIC

// Sets what the stand-in plays, for the length of a test.
class Role {
 public:
  explicit Role(const char* role) { ::setenv("NVML_STAND_IN", role, 1); }
  ~Role() { ::unsetenv("NVML_STAND_IN"); }
  Role(const Role&) = delete;
  Role& operator=(const Role&) = delete;
  Role(Role&&) = delete;
  Role& operator=(Role&&) = delete;
};

TEST(Nvml, library_without_nvml_in_it_is_unsupported) {
  const auto nvml = Nvml::load("libm.so.6");

  ASSERT_FALSE(nvml);
  EXPECT_EQ(nvml.error().code, base::ErrorCode::Unsupported);
}

TEST(Nvml, driver_that_is_not_loaded_is_unsupported_and_named) {
  const Role role("no-driver");

  const auto nvml = Nvml::load(LOWTIDE_STAND_IN);

  ASSERT_FALSE(nvml);
  EXPECT_EQ(nvml.error().code, base::ErrorCode::Unsupported);
  EXPECT_THAT(nvml.error().message, testing::HasSubstr("Driver Not Loaded"));
}

TEST(Nvml, driver_without_a_device_is_unsupported) {
  const Role role("none");

  const auto nvml = Nvml::load(LOWTIDE_STAND_IN);

  ASSERT_FALSE(nvml);
  EXPECT_EQ(nvml.error().code, base::ErrorCode::Unsupported);
}

TEST(Nvml, devices_have_names_and_uuids) {
  const auto nvml = Nvml::load(LOWTIDE_STAND_IN);

  ASSERT_TRUE(nvml);
  ASSERT_EQ(nvml.value().devices().size(), 2U);
  EXPECT_EQ(nvml.value().devices()[1].index, 1);
  EXPECT_EQ(nvml.value().devices()[1].name, "Stand-in 80GB");
  EXPECT_EQ(nvml.value().devices()[1].uuid, "GPU-02000000-0000-0000-0000-000000000000");
  EXPECT_EQ(nvml.value().driver_version(), "570.1");
}

TEST(Nvml, process_in_both_lists_is_counted_once) {
  auto nvml = Nvml::load(LOWTIDE_STAND_IN);
  ASSERT_TRUE(nvml);
  std::vector<GpuReading> readings;

  const auto left_out = nvml.value().read(readings);

  ASSERT_TRUE(left_out);
  EXPECT_EQ(left_out.value(), 0U);
  ASSERT_EQ(readings.size(), 2U);
  EXPECT_EQ(readings[0].total_bytes, 80 * kGiB);
  EXPECT_EQ(readings[0].used_bytes, 4 * kGiB);
  ASSERT_EQ(readings[0].processes.size(), 3U);
  EXPECT_EQ(readings[0].processes[0].driver_pid, 4711);
  EXPECT_EQ(readings[0].processes[0].bytes, 3 * kGiB);
  EXPECT_FALSE(readings[0].processes[1].bytes_known);
  EXPECT_EQ(readings[0].processes[2].driver_pid, 900);
  EXPECT_TRUE(readings[1].processes.empty());
  EXPECT_TRUE(readings[1].processes_known);
}

TEST(Nvml, old_driver_is_read_through_its_first_functions) {
  auto nvml = Nvml::load(LOWTIDE_STAND_IN_OLD_LIBRARY);
  ASSERT_TRUE(nvml);
  std::vector<GpuReading> readings;

  const auto left_out = nvml.value().read(readings);

  ASSERT_TRUE(left_out);
  EXPECT_EQ(readings[0].used_bytes, 5 * kGiB);
  ASSERT_EQ(readings[0].processes.size(), 3U);
  EXPECT_EQ(readings[0].processes[2].bytes, kGiB / 4);
}

TEST(Nvml, more_processes_than_there_was_room_for_are_all_read) {
  const Role role("crowd");
  auto nvml = Nvml::load(LOWTIDE_STAND_IN);
  ASSERT_TRUE(nvml);
  std::vector<GpuReading> readings;

  const auto left_out = nvml.value().read(readings);

  ASSERT_TRUE(left_out);
  EXPECT_EQ(readings[1].processes.size(), 100U);
  EXPECT_EQ(readings[1].processes[99].driver_pid, 1099);
}

TEST(Nvml, device_that_fell_off_the_bus_does_not_hide_the_other) {
  const Role role("lost");
  auto nvml = Nvml::load(LOWTIDE_STAND_IN);
  ASSERT_TRUE(nvml);
  std::vector<GpuReading> readings;

  const auto left_out = nvml.value().read(readings);

  ASSERT_TRUE(left_out);
  EXPECT_EQ(left_out.value(), 1U);
  ASSERT_EQ(readings.size(), 1U);
  EXPECT_EQ(readings[0].index, 0);
}

#endif

}  // namespace
}  // namespace lowtide::gpu

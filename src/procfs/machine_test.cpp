// The machine as a whole: meminfo, pressure, /dev/shm, clock, rights.
#include <gtest/gtest.h>

#include <string>

#include "procfs/kernel_clock.h"
#include "procfs/meminfo.h"
#include "procfs/pressure.h"
#include "procfs/rights.h"
#include "procfs/shm.h"
#include "procfs/test_machines.h"

namespace lowtide::procfs {
namespace {

TEST(Meminfo, real_machine_is_read) {
  const auto meminfo = read_meminfo(roots_of(kRealMachine));

  ASSERT_TRUE(meminfo);
  EXPECT_EQ(meminfo.value().total_bytes, 24682740 * kKiB);
  EXPECT_EQ(meminfo.value().available_bytes, 23721424 * kKiB);
  EXPECT_EQ(meminfo.value().free_bytes, 14340020 * kKiB);
  EXPECT_EQ(meminfo.value().cached_bytes, 8967544 * kKiB);
  EXPECT_EQ(meminfo.value().swap_total_bytes, 0U);
}

TEST(Meminfo, kernel_without_an_estimate_gets_one_without_shared_memory) {
  const auto meminfo = parse_meminfo("MemTotal: 1000 kB\nMemFree: 100 kB\nCached: 300 kB\nShmem: 50 kB\n");

  ASSERT_TRUE(meminfo);
  EXPECT_EQ(meminfo.value().available_bytes, 350 * kKiB);
}

TEST(Meminfo, what_is_no_meminfo_is_malformed) {
  EXPECT_FALSE(parse_meminfo(""));
  EXPECT_FALSE(parse_meminfo("MemFree: 1 kB\n"));
  EXPECT_FALSE(parse_meminfo("MemTotal: much\n"));
}

TEST(Pressure, both_lines_are_read) {
  const auto pressure = parse_pressure(
      "some avg10=1.53 avg60=0.27 avg300=0.01 total=123456\nfull avg10=0.50 avg60=0.10 avg300=0.00 "
      "total=99\n");

  ASSERT_TRUE(pressure);
  EXPECT_DOUBLE_EQ(pressure.value().some.avg10_percent, 1.53);
  EXPECT_DOUBLE_EQ(pressure.value().some.avg60_percent, 0.27);
  EXPECT_EQ(pressure.value().some.total_us, 123456U);
  EXPECT_DOUBLE_EQ(pressure.value().full.avg10_percent, 0.5);
  EXPECT_EQ(pressure.value().full.total_us, 99U);
}

TEST(Pressure, kernel_without_it_is_no_error) {
  const auto there = read_pressure(roots_of(kRealMachine));
  const auto absent = read_pressure(roots_of("cgroup2-root"));

  ASSERT_TRUE(there);
  ASSERT_TRUE(absent);
  EXPECT_TRUE(there.value().has_value());
  EXPECT_FALSE(absent.value().has_value());
}

TEST(Pressure, what_is_no_pressure_is_malformed) {
  for (const char* text :
       {"", "full avg10=0.00 total=1\n", "some avg10=nan total=1\n", "some avg10=-1 total=1\n",
        "some avg10=0.00\n", "some total=x\n", "some total\n"}) {
    EXPECT_FALSE(parse_pressure(text)) << text;
  }
}

TEST(SharedMemory, folder_that_is_not_there_is_gone) {
  const auto there = read_shared_memory(roots_of(kRealMachine));
  const auto absent = read_shared_memory(Roots{.shm = "/no/such/folder"});

  ASSERT_TRUE(there);
  EXPECT_GE(there.value().total_bytes, there.value().used_bytes);
  EXPECT_GT(there.value().total_bytes, 0U);
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, base::ErrorCode::Gone);
}

TEST(Rights, what_is_not_there_is_reported_with_its_reason) {
  const Rights rights = read_rights(roots_of(kRealMachine));

  ASSERT_FALSE(rights.ptrace_scope);
  EXPECT_EQ(rights.ptrace_scope.error().code, base::ErrorCode::Unsupported);
  ASSERT_TRUE(rights.perf_event_paranoid);
  EXPECT_EQ(rights.perf_event_paranoid.value(), 2);
  ASSERT_TRUE(rights.capabilities);
  EXPECT_EQ(rights.capabilities.value(), 0x1fffeffffffU);
  EXPECT_TRUE(has_capability(rights.capabilities.value(), kCapSysPtrace));
  EXPECT_FALSE(has_capability(rights.capabilities.value(), 24));
  ASSERT_TRUE(rights.kernel);
  EXPECT_TRUE(rights.kernel.value().starts_with("6.18."));
}

TEST(Rights, signal_that_is_neither_caught_nor_ignored_ends_a_process) {
  const char* const status = "Name:\tpython3\nSigIgn:\t0000000000001000\nSigCgt:\t0000000000000002\n";
  EXPECT_TRUE(would_die_of(status, 12));
  EXPECT_FALSE(would_die_of(status, 13));
  EXPECT_FALSE(would_die_of(status, 2));
  EXPECT_FALSE(would_die_of("Name:\tpython3\n", 12)) << "not known: the job decides";
}

}  // namespace
}  // namespace lowtide::procfs

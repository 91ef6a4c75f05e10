#include "ingest/words/words.h"

#include <gtest/gtest.h>

namespace lowtide::ingest {
namespace {

using model::Quantity;

TEST(a_column, of_resident_memory_is_memory_in_the_unit_of_its_name) {
  for (const char* name : {"rss_mb", "RES (MB)", "memory [MB]", "ram.MB", "process_memory_mb", "rssMB"}) {
    const Meaning meaning = meaning_of(name);
    EXPECT_EQ(meaning.role, Role::Memory) << name;
    EXPECT_EQ(meaning.quantity, Quantity::ProcessMemory) << name;
    EXPECT_EQ(meaning.scale, 1e6) << name;
  }
  EXPECT_EQ(meaning_of("rss_bytes").scale, 1);
  EXPECT_EQ(meaning_of("memory.used [MiB]").scale, 1024.0 * 1024.0);
}

TEST(what_is_not_a_reading, is_not_taken_for_one) {
  for (const char* name : {"vms_mb", "max_memory_allocated (GB)", "peak_rss", "memory.free [MiB]",
                           "mem_percent", "utilization.memory [%]", "clocks.mem [MHz]", "available_memory",
                           "rss_delta", "loss", "lr", "swap_used_mb", "%MEM", "memory_bandwidth"}) {
    EXPECT_NE(meaning_of(name).role, Role::Memory) << name;
  }
}

TEST(memory_of_the_gpu, is_another_quantity) {
  EXPECT_EQ(meaning_of("gpu_mem_mb").quantity, Quantity::GpuUsed);
  EXPECT_EQ(meaning_of("memory_allocated (GB)").quantity, Quantity::GpuAllocated);
  EXPECT_EQ(meaning_of("cuda_memory_reserved").quantity, Quantity::GpuReserved);
}

TEST(steps_times_and_limits, have_their_words) {
  for (const char* name : {"step", "global_step", "iter", "iteration", "trainer/global_step", "_step"}) {
    EXPECT_EQ(meaning_of(name).role, Role::Step) << name;
  }
  for (const char* name : {"time", "timestamp", "elapsed", "date", "_timestamp", "elapsed_s", "time_ms"}) {
    EXPECT_EQ(meaning_of(name).role, Role::Seconds) << name;
  }
  for (const char* name : {"warmup_steps", "max_steps", "step_time", "data_time"}) {
    EXPECT_EQ(meaning_of(name).role, Role::None) << name;
  }
  EXPECT_EQ(meaning_of("time_ms").scale, 1e-3);
  EXPECT_EQ(meaning_of("memory.total [MiB]").role, Role::Limit);
}

}  // namespace
}  // namespace lowtide::ingest

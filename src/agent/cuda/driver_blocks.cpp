#include "agent/cuda/driver_blocks.h"

#include "agent/cuda/driver.h"
#include "agent/cuda/driver_report.h"
#include "agent/heap/arithmetic.h"
#include "agent/heap/channel.h"
#include "agent/heap/clock.h"
#include "agent/heap/pace.h"
#include "agent/heap/registers.h"
#include "agent/heap/sample_record.h"
#include "agent/heap/thread_state.h"
#include "agent/python/marks.h"
#include "agent/python/walk/snapshot.h"

namespace lowtide::agent {
namespace {

constexpr std::uint64_t kMostPerSecond = 500;
constinit Pace g_call_pace(1, kMostPerSecond);               // every block
constinit Pace g_pool_pace(kBaseMeanBytes, kMostPerSecond);  // those from the driver's pools

Pace& pace_of(wire::Source source) {
  return source == wire::Source::CudaAsync ? g_pool_pace : g_call_pace;
}

// With the probability bytes / mean, so that the sample stands for `mean` bytes; 0: not this time.
std::uint64_t weigh(std::uint64_t bytes, std::uint64_t mean_bytes) {
  if (bytes >= mean_bytes) {
    return bytes;
  }
  std::uint64_t& random = t_thread.random;
  if (random == 0) {
    random = (reinterpret_cast<std::uintptr_t>(&random) ^ (now_ns() << 16U)) * 0x9e3779b97f4a7c15ULL | 1U;
  }
  const double uniform = static_cast<double>(next_random(random) >> 11U) * 0x1p-53;
  return uniform * static_cast<double>(mean_bytes) < static_cast<double>(bytes) ? mean_bytes : 0;
}

void record(const Subject& subject) {
  const TableUse use;
  const std::uint64_t began_ns = now_ns();
  if (!may_record(began_ns)) {
    if (owns_tables()) {
      count_drop(wire::Drop::Driver, subject.weight_bytes);
    }
    return;
  }
  Pace& pace = pace_of(subject.source);
  pace.count(began_ns, 0);
  if (!write_record(subject, began_ns)) {
    count_drop(wire::Drop::Driver, subject.weight_bytes);
    pace.slow_down(began_ns);
  }
  header()->agent.sampling_ns.fetch_add(now_ns() - began_ns, std::memory_order_relaxed);
}

}  // namespace

void set_driver_pace(std::uint64_t samples_per_second) {
  g_call_pace.set(0, samples_per_second);
  g_pool_pace.set(0, samples_per_second);
}

std::uint16_t current_device() {
  int device = 0;
  if (g_driver.context_device == nullptr || g_driver.context_device(&device) != 0 || device < 0) {
    return 0;
  }
  return static_cast<std::uint16_t>(device);
}

__attribute__((noinline)) void note_driver_block(int result, std::uint64_t key, std::uint64_t bytes,
                                                 wire::Source source, std::uint16_t device) {
  if (result != 0) {
    count_driver(DriverCount::Failures);
    return;
  }
  if (t_thread.inside != 0 || g_power.load(std::memory_order_relaxed) != Power::On ||
      driver_state() != wire::DriverState::Followed) {
    return;
  }
  const std::uint64_t weight = weigh(bytes, pace_of(source).mean_bytes());
  if (weight == 0) {
    return;
  }
  count_driver(DriverCount::Allocations);
  const HookScope scope;
  Subject subject = {key, bytes, weight, source, device, {}};
  read_registers(subject.registers);
  record(subject);
  walk_if_asked();
  mark_if_asked();
}

}  // namespace lowtide::agent

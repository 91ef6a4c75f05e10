#include "observe/agents/site_table.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <vector>

namespace lowtide::observe {
namespace {

constexpr model::ProcessId kProcess{1};
constexpr std::uint64_t kRequested = 100;
constexpr std::uint64_t kWeight = 1000;

// A book about this process, and samples of one Python line.
class SiteBookTest : public testing::Test {
 protected:
  void take(std::uint64_t sample, wire::Source source = wire::Source::PythonObject,
            std::uint64_t weight_bytes = kWeight) {
    const std::array<wire::PythonFrame, 1> frames{wire::PythonFrame{.code = 1, .line = 31}};
    AgentAllocation allocation;
    allocation.sample = sample;
    allocation.requested_bytes = kRequested;
    allocation.weight_bytes = weight_bytes;
    allocation.source = source;
    allocation.is_live = allocation.is_tracked = true;
    allocation.frames = frames;
    book_.on_allocation(allocation);
  }

  // The latest that is known of the line.
  model::SiteReading read(double at_s) {
    std::vector<model::SiteReading> readings;
    std::vector<model::SiteInfo> begun;
    book_.read_sites(kProcess, at_s, readings, begun);
    if (!readings.empty()) latest_ = readings.front();
    return latest_;
  }

  SiteTools tools_;
  SiteTable book_{static_cast<std::int32_t>(::getpid()), tools_};
  model::SiteReading latest_;
};

TEST_F(SiteBookTest, main_thread_is_in_an_import_from_its_first_sample_there_to_its_first_elsewhere) {
  book_.on_code({.code = 2, .file = "<frozen importlib._bootstrap>", .function = "_find_and_load"});
  const auto sample = [&](std::uint64_t number, bool is_main_thread, std::vector<wire::PythonFrame> frames) {
    AgentAllocation allocation;
    allocation.sample = number;
    allocation.is_main_thread = is_main_thread;
    allocation.frames = frames;
    book_.on_allocation(allocation);
    return book_.sample_in_import();
  };
  const wire::PythonFrame own{.code = 1, .line = 31};
  const wire::PythonFrame import{.code = 2, .line = 1176};

  EXPECT_EQ(sample(1, true, {own}), 0U);
  EXPECT_EQ(sample(2, false, {own, import, own}), 0U) << "a thread may import what it wants";
  EXPECT_EQ(sample(3, true, {own, import, own}), 3U);
  EXPECT_EQ(sample(4, true, {}), 3U) << "not of Python";
  EXPECT_EQ(sample(5, false, {own}), 3U);
  EXPECT_EQ(sample(6, true, {own}), 0U);
}

TEST_F(SiteBookTest, sample_grows_old_with_the_time_that_was_watched) {
  take(1);
  const model::SiteReading young = read(0);
  const model::SiteReading old = read(1);
  read(159);
  take(2);
  read(160);

  const model::SiteReading still_young = read(169);
  const model::SiteReading both = read(170);

  EXPECT_EQ(young.live_samples, 1U);
  EXPECT_EQ(young.old->samples, 0U);
  EXPECT_EQ(old.old->samples, 1U);
  EXPECT_EQ(old.old->bytes, kWeight);
  EXPECT_EQ(still_young.old->samples, 1U);
  EXPECT_EQ(both.old->samples, 2U);
}

TEST_F(SiteBookTest, free_of_a_young_sample_is_no_free_of_an_old_one) {
  for (std::uint64_t sample = 1; sample <= 8; ++sample) take(sample);
  read(0);
  for (std::uint64_t sample = 1; sample <= 3; ++sample) book_.on_free(sample);
  read(2);
  book_.on_free(4);

  const model::SiteReading end = read(3);

  EXPECT_EQ(end.live_samples, 4U);
  EXPECT_EQ(end.old->samples, 4U);
  EXPECT_EQ(end.old->bytes, 4 * kWeight);
  EXPECT_EQ(end.old->freed_samples, 1U);
}

TEST_F(SiteBookTest, shared_memory_is_of_the_site_but_not_of_the_heap) {
  for (std::uint64_t sample = 1; sample <= 3; ++sample) take(sample, wire::Source::SharedMmap);
  take(4);
  book_.on_free(1);

  const model::SiteReading reading = read(0);

  EXPECT_EQ(reading.live_bytes, 3 * kWeight);
  EXPECT_EQ(reading.shared_bytes, 2 * kWeight);
  EXPECT_EQ(book_.live_bytes(), kWeight);
}

TEST_F(SiteBookTest, error_follows_from_the_weights_and_falls_with_frees) {
  take(1, wire::Source::Malloc, 10'000);
  take(2, wire::Source::Malloc, 20'000);
  const model::SiteReading both = read(0);
  book_.on_free(2);
  const model::SiteReading one = read(1);
  take(3, wire::Source::Malloc, kRequested);  // it was certain to be sampled
  const model::SiteReading certain = read(2);

  EXPECT_EQ(both.error_bytes, 22'293U);  // sqrt(10,000 * 9,900 + 20,000 * 19,900)
  EXPECT_EQ(one.error_bytes, 9'950U);
  EXPECT_EQ(certain.error_bytes, 9'950U);
}

TEST_F(SiteBookTest, memory_of_the_driver_is_a_site_of_its_own_and_no_memory_of_the_host) {
  for (std::uint64_t sample = 1; sample <= 4; ++sample) take(sample);
  for (std::uint64_t sample = 5; sample <= 6; ++sample) take(sample, wire::Source::CudaCreate, 2 << 20);
  std::vector<model::SiteReading> readings;
  std::vector<model::SiteInfo> begun;

  book_.read_sites(kProcess, 1, readings, begun);

  ASSERT_EQ(begun.size(), 2U) << "the same Python line";
  EXPECT_EQ(begun[0].memory, model::SiteMemory::Host);
  EXPECT_EQ(begun[1].memory, model::SiteMemory::Gpu);
  EXPECT_EQ(book_.live_bytes(), 4 * kWeight);
  EXPECT_EQ(book_.live_samples(), 4U);
  book_.on_free(5);
  book_.on_free(1);
  EXPECT_EQ(book_.live_bytes(), 3 * kWeight);
  EXPECT_EQ(book_.live_samples(), 3U);
}

}  // namespace
}  // namespace lowtide::observe

#include "explain/findings/gpu/fragmentation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lowtide::explain {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t kPoolMB = 1'000'000;

// 900 MB are free in 30 blocks beside others; segments of 64 to 512 MiB in four sizes.
model::GpuPool pool_with_free_blocks() {
  return {.name = "default",
          .reserved_bytes = 3000 * kPoolMB,
          .allocated_bytes = 2000 * kPoolMB,
          .split_bytes = 900 * kPoolMB,
          .whole_bytes = 100 * kPoolMB,
          .largest_free_bytes = 60 * kPoolMB,
          .free_blocks = 30,
          .mappable_bytes = 800 * kPoolMB,
          .segments = 20,
          .least_segment_bytes = 64U << 20U,
          .most_segment_bytes = 512U << 20U,
          .segment_sizes = 4};
}

TEST(Fragmentation, sizes_that_did_not_fit_and_free_blocks_are_stated) {
  const Fragmentation found = explain_fragmentation({pool_with_free_blocks()});
  EXPECT_EQ(found.free_bytes, 900 * kPoolMB);
  EXPECT_THAT(found.evidence,
              ElementsAre("pool default: 900 MB free in 30 blocks, the largest 60.0 MB",
                          "blocks of 67.1 MB to 537 MB did not fit (4 different sizes of segments)"));
}

TEST(Fragmentation, segments_that_grow_help_where_whole_pages_are_free) {
  EXPECT_THAT(explain_fragmentation({pool_with_free_blocks()}).advice,
              ElementsAre(HasSubstr("expandable_segments:True, with which 800 MB of it")));
}

TEST(Fragmentation, segments_that_grow_already_are_not_advised) {
  model::GpuPool pool = pool_with_free_blocks();
  pool.is_expandable = true;
  EXPECT_THAT(explain_fragmentation({pool}).advice, IsEmpty());
}

TEST(Fragmentation, many_sizes_are_padded) {
  model::GpuPool pool = pool_with_free_blocks();
  pool.is_expandable = true;
  pool.segment_sizes = 40;
  EXPECT_THAT(explain_fragmentation({pool}).advice,
              ElementsAre(HasSubstr("pad batches to a few lengths: blocks of 40")));
}

TEST(Fragmentation, small_blocks_are_kept_out_of_large_segments_where_no_page_is_free) {
  model::GpuPool pool = pool_with_free_blocks();
  pool.mappable_bytes = 0;
  EXPECT_THAT(explain_fragmentation({pool}).advice, IsEmpty());
  pool.beside_small_bytes = 700 * kPoolMB;
  EXPECT_THAT(explain_fragmentation({pool}).advice, ElementsAre(HasSubstr("max_split_size_mb:64")));
}

TEST(Fragmentation, pool_with_most_free_memory_is_described) {
  model::GpuPool graph = pool_with_free_blocks();
  graph.name = "CUDA graph 1";
  graph.split_bytes = 2000 * kPoolMB;
  const Fragmentation found = explain_fragmentation({pool_with_free_blocks(), graph});
  EXPECT_EQ(found.free_bytes, 2900 * kPoolMB);
  EXPECT_THAT(found.evidence.front(), HasSubstr("pool CUDA graph 1: 2.00 GB free"));
}

TEST(Fragmentation, little_free_memory_is_worth_no_setting) {
  model::GpuPool pool = pool_with_free_blocks();
  pool.split_bytes = 20 * kPoolMB;
  EXPECT_THAT(explain_fragmentation({pool}).advice, IsEmpty());
  EXPECT_THAT(explain_fragmentation({}).evidence, IsEmpty());
}

TEST(Fragmentation, whole_segments_count_only_where_torch_has_not_returned_them) {
  model::GpuPool pool = pool_with_free_blocks();
  pool.split_bytes = 0;
  pool.mappable_bytes = 0;
  pool.whole_bytes = 5000 * kPoolMB;
  EXPECT_THAT(explain_fragmentation({pool}).evidence, IsEmpty());
  EXPECT_THAT(explain_fragmentation({pool}, true).advice, ElementsAre(HasSubstr("with which 5.00 GB of it")));
}

}  // namespace
}  // namespace lowtide::explain

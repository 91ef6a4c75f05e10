#include "procfs/smaps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "procfs/test_machines.h"

namespace lowtide::procfs {
namespace {

TEST(Smaps, sums_of_the_mappings_are_those_of_the_process) {
  const auto smaps = read_smaps(roots_of(kRealMachine), kTrainer);

  ASSERT_TRUE(smaps);
  EXPECT_EQ(smaps.value().total.rss_bytes, 47124 * kKiB);
  EXPECT_EQ(smaps.value().total.pss_bytes, 29509 * kKiB);
  EXPECT_EQ(smaps.value().total.mappings, 182U);
  std::uint64_t by_kind_bytes = 0;
  for (const MappingBytes& kind : smaps.value().by_kind) {
    by_kind_bytes += kind.rss_bytes;
  }
  EXPECT_EQ(by_kind_bytes, smaps.value().total.rss_bytes);
}

TEST(Smaps, shared_memory_is_distinguished_from_files_though_it_is_deleted) {
  const auto smaps = read_smaps(roots_of(kRealMachine), kTrainer);

  ASSERT_TRUE(smaps);
  EXPECT_EQ(smaps.value().of(MappingKind::SharedMemory).mappings, 2U);
  EXPECT_EQ(smaps.value().of(MappingKind::SharedMemory).rss_bytes, 6144 * kKiB);
  EXPECT_EQ(smaps.value().of(MappingKind::Heap).mappings, 1U);
  EXPECT_EQ(smaps.value().of(MappingKind::Stack).mappings, 1U);
}

TEST(Smaps, top_names_are_the_heaviest_and_as_many_as_asked_for) {
  const auto smaps = read_smaps(roots_of(kRealMachine), kTrainer, 3);

  ASSERT_TRUE(smaps);
  ASSERT_EQ(smaps.value().top.size(), 3U);
  EXPECT_GE(smaps.value().top[0].bytes.pss_bytes, smaps.value().top[1].bytes.pss_bytes);
  EXPECT_GE(smaps.value().top[1].bytes.pss_bytes, smaps.value().top[2].bytes.pss_bytes);
  EXPECT_EQ(smaps.value().top[0].kind, MappingKind::Anonymous);
}

TEST(Smaps, pieces_of_any_size_give_the_same_sums) {
  const std::string text = fixture_text("6243/smaps");
  for (const std::size_t length : {1U, 7U, 100U, 5000U}) {
    SmapsParser parser;

    for (std::size_t at = 0; at < text.size(); at += length) {
      parser.feed(std::string_view(text).substr(at, length));
    }
    const auto smaps = parser.finish(5);

    ASSERT_TRUE(smaps);
    EXPECT_EQ(smaps.value().total.pss_bytes, 29509 * kKiB) << length;
    EXPECT_EQ(smaps.value().total.mappings, 182U) << length;
  }
}

TEST(Smaps, million_of_names_is_cut_but_added_up) {
  SmapsParser parser;
  for (int at = 0; at < 10'000; ++at) {
    parser.feed("1000-2000 r--s 0 00:00 7    /data/sample" + std::to_string(at) + "\nRss: 4 kB\nPss: 4 kB\n");
  }

  const auto smaps = parser.finish(10);

  ASSERT_TRUE(smaps);
  EXPECT_TRUE(smaps.value().names_cut);
  EXPECT_EQ(smaps.value().total.rss_bytes, 40'000 * kKiB);
}

TEST(Smaps, kinds_of_mappings) {
  EXPECT_EQ(classify_mapping(""), MappingKind::Anonymous);
  EXPECT_EQ(classify_mapping("[anon:glibc: malloc arena]"), MappingKind::Anonymous);
  EXPECT_EQ(classify_mapping("/anon_hugepage (deleted)"), MappingKind::Anonymous);
  EXPECT_EQ(classify_mapping("[stack:12]"), MappingKind::Stack);
  EXPECT_EQ(classify_mapping("[vdso]"), MappingKind::Kernel);
  EXPECT_EQ(classify_mapping("/memfd:torch (deleted)"), MappingKind::SharedMemory);
  EXPECT_EQ(classify_mapping("/SYSV00000000 (deleted)"), MappingKind::SharedMemory);
  EXPECT_EQ(classify_mapping("/dev/shm/torch_1_2"), MappingKind::SharedMemory);
  EXPECT_EQ(classify_mapping("/data/train.bin (deleted)"), MappingKind::Deleted);
  EXPECT_EQ(classify_mapping("/usr/lib/libtorch_cpu.so"), MappingKind::File);
}

TEST(Smaps, process_that_is_no_more_is_gone) {
  const auto smaps = read_smaps(roots_of(kRealMachine), 99);

  ASSERT_FALSE(smaps);
  EXPECT_EQ(smaps.error().code, base::ErrorCode::Gone);
}

}  // namespace
}  // namespace lowtide::procfs

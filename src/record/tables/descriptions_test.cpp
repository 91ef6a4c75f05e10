#include "record/tables/descriptions.h"

#include <gmock/gmock.h>

#include <set>

#include "record/meta.h"

namespace lowtide::record {
namespace {

template <typename Enum>
class NamesTest : public testing::Test {};

using RecordedEnums = testing::Types<model::ProcessRole, model::FrameLanguage, model::EventKind,
                                     model::VerdictKind, model::Axis, model::LimitKind, model::TrimOutcome,
                                     model::CacheKind, model::SharedKind, model::SharedLink>;
TYPED_TEST_SUITE(NamesTest, RecordedEnums);

TYPED_TEST(NamesTest, every_enumerator_is_found_by_its_name) {
  constexpr std::size_t kCount = model::count_of<TypeParam>();
  EXPECT_GE(kCount, 2U);
  for (std::size_t at = 0; at < kCount; ++at) {
    const auto value = static_cast<TypeParam>(at);
    EXPECT_EQ(model::find_named<TypeParam>(to_string(value)), value);
  }
  EXPECT_EQ(model::find_named<TypeParam>("nothing like this"), std::nullopt);
  EXPECT_EQ(model::find_named<TypeParam>(""), std::nullopt);
}

TEST(Descriptions, tables_and_their_columns_have_different_names) {
  std::set<std::string> tables;
  for (const TableText& table : described_tables()) {
    EXPECT_TRUE(tables.insert(table.name).second) << table.name;
    std::set<std::string> columns;
    for (const ColumnText& column : table.columns) {
      EXPECT_TRUE(columns.insert(column.name).second) << table.name << "." << column.name;
    }
  }
}

TEST(Descriptions, a_key_of_meta_with_a_number_has_it_in_its_name) {
  EXPECT_EQ(meta_key(Meta::GpuName, 3), "gpu_3_name");
  EXPECT_EQ(meta_key(Meta::NotSeen, 12), "not_seen_12");
  EXPECT_EQ(meta_key(Meta::Command), "command");
}

TEST(Descriptions, a_value_of_meta_is_parsed_whole_or_not_at_all) {
  EXPECT_EQ(parse_meta<std::uint64_t>("17"), 17U);
  EXPECT_EQ(parse_meta<std::uint64_t>("17 apples"), std::nullopt);
  EXPECT_EQ(parse_meta<std::uint64_t>("-1"), std::nullopt);
  EXPECT_EQ(parse_meta<double>(meta_text(0.000012)), 0.000012);
  EXPECT_EQ(parse_meta<bool>("0"), false);
}

}  // namespace
}  // namespace lowtide::record

// Recordings that no run could have written.
#include <gmock/gmock.h>

#include "record/reader.h"
#include "record/test_ticks.h"

namespace lowtide::record {
namespace {

using testing::HasSubstr;

TEST(CraftedRecording, impossible_values_are_left_out_and_counted) {
  const TemporaryFolder folder;
  const std::string path = record(folder, 10);
  change(path, "UPDATE target_sample SET bytes = -5 WHERE id = 3");
  change(path, "UPDATE target_sample SET bytes = 'many' WHERE id = 4");
  change(path, "UPDATE target_sample SET step = 9e999 WHERE id = 5");
  change(path, "UPDATE target_sample SET file_bytes = -1 WHERE id = 6");
  change(path, "UPDATE process SET pid = -1 WHERE id = 1");

  auto opened = Recording::open(path);

  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(count_target(opened.value()), 6U);
  EXPECT_EQ(opened.value().processes().size(), 2U);
  EXPECT_THAT(opened.value().warnings(), testing::Contains(HasSubstr("4 rows of table target_sample")));
}

// "INSERT INTO event ... FROM (<numbers>)": n counts from 1.
std::string numbers(int most) {
  return "(WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < " +
         std::to_string(most) + ") SELECT n FROM counted)";
}

TEST(CraftedRecording, more_rows_than_a_run_can_write_are_cut_off_with_a_warning) {
  const TemporaryFolder folder;
  const std::string path = record(folder, 10);
  change(path,
         "INSERT INTO event(id, at_s, kind, process, text, stack) SELECT n, 1, 'restart', NULL, 'again', '' "
         "FROM " +
             numbers(7'000));
  change(path, "INSERT INTO target_sample(at_s, bytes) SELECT n, 1 FROM " + numbers(30'000));

  auto opened = Recording::open(path);

  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(opened.value().events().size(), 5'000U);
  EXPECT_EQ(count_target(opened.value()), 20'000U);
  EXPECT_THAT(opened.value().warnings(),
              testing::IsSupersetOf({HasSubstr("table event"), HasSubstr("table target_sample")}));
  EXPECT_THAT(opened.value().warnings(), testing::Each(HasSubstr("only the first")));
}

TEST(CraftedRecording, more_text_than_a_run_can_write_is_cut_off_with_a_warning) {
  const TemporaryFolder folder;
  const std::string path = record(folder, 10);
  change(path,
         "INSERT INTO event(id, at_s, kind, process, text, stack) SELECT n, 1, 'restart', NULL, "
         "hex(zeroblob(30000)), '' FROM " +
             numbers(500));

  auto opened = Recording::open(path);

  ASSERT_TRUE(opened.ok());
  EXPECT_LE(opened.value().events().size(), 100U);
  EXPECT_THAT(opened.value().warnings(), testing::ElementsAre(HasSubstr("only the first")));
}

TEST(CraftedRecording, a_schema_of_very_many_tables_is_not_read_to_its_end) {
  const TemporaryFolder folder;
  const std::string path = record(folder, 10);
  change(path,
         "PRAGMA writable_schema = ON; INSERT INTO sqlite_master SELECT 'table', 't' || n, 't' || n, 0, "
         "'CREATE VIRTUAL TABLE t' || n || ' USING none()' FROM " +
             numbers(20'000));

  const auto opened = Recording::open(path);

  ASSERT_TRUE(opened.ok());
  EXPECT_THAT(opened.value().warnings(), testing::Contains(HasSubstr("damaged (interrupted)")));
}

TEST(CraftedRecording, a_table_whose_id_is_not_its_row_number_is_read_in_the_order_of_its_rows) {
  const TemporaryFolder folder;
  const std::string path = record(folder, 10);
  change(path,
         "CREATE TABLE other AS SELECT * FROM event; DROP TABLE event; ALTER TABLE other RENAME TO event");
  change(path,
         "INSERT INTO event(id, at_s, kind, process, text, stack) SELECT -n, n, 'restart', NULL, 'again', '' "
         "FROM " +
             numbers(3));

  auto opened = Recording::open(path);

  ASSERT_TRUE(opened.ok());
  const auto events = opened.value().events();
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events.front().event.at_s, 1);
  EXPECT_EQ(events.back().event.at_s, 3);
}

}  // namespace
}  // namespace lowtide::record

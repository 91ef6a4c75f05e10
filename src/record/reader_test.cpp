#include "record/reader.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <thread>

#include "record/sqlite.h"
#include "record/tables/schema.h"
#include "record/test_ticks.h"

namespace lowtide::record {
namespace {

using testing::HasSubstr;

std::string message_of(const std::string& path) {
  const auto opened = Recording::open(path);
  return opened.ok() ? "opened" : opened.error().message;
}

void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// Runs `check` as a user whom permissions stop; true if `check` is true. In a thread,
// because a thread has privileges of its own, and not in a fork: a writer's thread may hold
// the allocator's lock then, and nobody in the child would ever give it back.
bool holds_without_root(const std::function<bool()>& check) {
  bool holds = false;
  std::thread([&] {
    constexpr long kNobody = 65534;
    if (::geteuid() == 0 && (::syscall(SYS_setresgid, kNobody, kNobody, kNobody) != 0 ||
                             ::syscall(SYS_setresuid, kNobody, kNobody, kNobody) != 0)) {
      return;
    }
    holds = check();
  }).join();
  return holds;
}

TEST(Recording, what_is_no_recording_is_refused_in_clear_words) {
  const TemporaryFolder folder;
  write_file(folder.path("empty"), "");
  write_file(folder.path("text"), "time,rss\n1,2\n");
  write_file(folder.path("short"), std::string_view("SQLite format 3\0 and then nothing", 33));
  ::mkfifo(folder.path("pipe").c_str(), 0600);

  EXPECT_THAT(message_of(folder.path("nothing")), HasSubstr("No such file"));
  EXPECT_THAT(message_of(folder.folder().string()), HasSubstr("is a directory"));
  EXPECT_THAT(message_of(folder.path("empty")), HasSubstr("is empty"));
  EXPECT_THAT(message_of(folder.path("text")), HasSubstr("is not a lowtide recording"));
  EXPECT_THAT(message_of(folder.path("short")), HasSubstr("is truncated"));
  EXPECT_THAT(message_of(folder.path("pipe")), HasSubstr("is not a regular file"));
}

TEST(Recording, a_database_of_others_is_refused) {
  const TemporaryFolder folder;
  auto made = Database::open(folder.path("other.db"), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  ASSERT_TRUE(made.ok());
  ASSERT_EQ(made.value().execute("CREATE TABLE songs(name)"), SQLITE_OK);

  EXPECT_THAT(message_of(folder.path("other.db")), HasSubstr("not a lowtide recording"));
}

TEST(Recording, a_newer_schema_is_refused_and_named) {
  const TemporaryFolder folder;
  const std::string path = record(folder, 3);
  change(path, "PRAGMA user_version = 2");

  EXPECT_THAT(message_of(path), HasSubstr("written by a newer lowtide"));
}

TEST(Recording, is_read_while_it_is_written) {
  const TemporaryFolder folder;
  Writer writer = make_writer(folder.path("run.db"), 3);
  writer.add(make_tick(0, 3));
  writer.commit();
  auto opened = Recording::open(folder.path("run.db"));
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(count_target(opened.value()), 1U);

  writer.add(make_tick(1, 3));
  writer.commit();

  EXPECT_EQ(count_target(opened.value()), 2U);
  EXPECT_FALSE(opened.value().closed_cleanly());
  EXPECT_EQ(writer.failure(), nullptr);
}

// POSIX drops all locks of a process on a file when it closes any descriptor of
// it. Without its lock the next client to leave would remove the live log.
TEST(Recording, reading_in_the_process_that_writes_does_not_cost_the_writer_its_log) {
  const TemporaryFolder folder;
  const std::string path = folder.path("run.db");
  Writer writer = make_writer(path, 3);
  writer.add(make_tick(0, 3));
  writer.commit();
  { ASSERT_TRUE(Recording::open(path).ok()); }

  const pid_t other = ::fork();
  if (other == 0) {
    ::execlp("sqlite3", "sqlite3", path.c_str(), "SELECT count(*) FROM target_sample", nullptr);
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(other, &status, 0);

  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    GTEST_SKIP() << "no sqlite3 shell here";
  }
  EXPECT_TRUE(std::filesystem::exists(path + "-wal"));
}

TEST(Recording, opens_in_a_folder_that_cannot_be_written_to) {
  const TemporaryFolder folder;
  const std::string path = record(folder, 3);
  std::filesystem::permissions(path, std::filesystem::perms(0444));
  std::filesystem::permissions(folder.folder(), std::filesystem::perms(0555));

  const bool read = holds_without_root([&] {
    auto opened = Recording::open(path);
    return opened.ok() && count_target(opened.value()) == 3 && opened.value().warnings().empty();
  });

  std::filesystem::permissions(folder.folder(), std::filesystem::perms(0755));
  EXPECT_TRUE(read);
}

TEST(Recording, a_log_that_cannot_be_read_in_a_read_only_folder_is_reported) {
  const TemporaryFolder folder;
  const TemporaryFolder copy;
  Writer writer = make_writer(folder.path("run.db"), 3);
  writer.add(make_tick(0, 3));
  writer.commit();
  std::filesystem::copy_file(folder.path("run.db"), copy.path("run.db"));
  std::filesystem::copy_file(folder.path("run.db-wal"), copy.path("run.db-wal"));
  std::filesystem::permissions(copy.folder(), std::filesystem::perms(0555));

  const bool warned = holds_without_root([&] {
    const auto opened = Recording::open(copy.path("run.db"));
    return opened.ok() && opened.value().warnings().size() == 1 &&
           opened.value().warnings()[0].find("may be missing") != std::string::npos;
  });

  std::filesystem::permissions(copy.folder(), std::filesystem::perms(0755));
  EXPECT_TRUE(warned);
}

TEST(Recording, a_file_that_may_not_be_read_is_denied) {
  const TemporaryFolder folder;
  const std::string path = record(folder, 1);
  std::filesystem::permissions(folder.folder(), std::filesystem::perms(0755));
  std::filesystem::permissions(path, std::filesystem::perms(0));

  EXPECT_TRUE(holds_without_root([&] {
    const auto opened = Recording::open(path);
    return !opened.ok() && opened.error().code == base::ErrorCode::Denied;
  }));
}

TEST(Recording, of_a_truncated_file_the_readable_part_is_given_with_a_warning) {
  const TemporaryFolder folder;
  const std::string path = record(folder, 3000);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) * 2 / 3);

  auto opened = Recording::open(path);

  ASSERT_TRUE(opened.ok()) << opened.error().message;
  EXPECT_GT(count_target(opened.value()), 0U);
  EXPECT_LT(count_target(opened.value()), 3000U);
  EXPECT_THAT(opened.value().warnings(), testing::Contains(HasSubstr("is truncated")));
  EXPECT_EQ(opened.value().header().command, "python train.py");
}

// Its tables have most of its pages.
TEST(Recording, of_a_young_file_that_was_cut_the_rest_is_read) {
  const TemporaryFolder folder;
  const std::string whole = record(folder, 20);
  const auto bytes = std::filesystem::file_size(whole);
  for (const unsigned percent : {5U, 20U, 50U, 80U, 95U}) {
    const std::string path = folder.path("cut-" + std::to_string(percent));
    std::filesystem::copy_file(whole, path);
    std::filesystem::resize_file(path, bytes * percent / 100);

    auto opened = Recording::open(path);

    ASSERT_TRUE(opened.ok()) << percent << " %: " << opened.error().message;
    EXPECT_LE(count_target(opened.value()), 20U);
    EXPECT_THAT(opened.value().warnings(), testing::Contains(HasSubstr("is truncated")));
  }
}

TEST(Recording, rows_behind_a_damaged_page_are_still_read) {
  const TemporaryFolder folder;
  const std::string path = record(folder, 3000);
  auto database = Database::open(path, SQLITE_OPEN_READONLY);
  ASSERT_TRUE(database.ok());
  // The first leaf of the table: its root names it in the first cell.
  const std::uint64_t root = std::stoul(
      database.value().ask("SELECT rootpage FROM sqlite_master WHERE name = 'target_sample'").value());
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  std::array<unsigned char, 4096> page{};
  file.seekg(static_cast<std::streamoff>((root - 1) * page.size()));
  file.read(reinterpret_cast<char*>(page.data()), page.size());
  const std::size_t cell = static_cast<std::size_t>(page[14]) << 8U | page[15];
  const std::uint64_t leaf = static_cast<std::uint64_t>(page[cell + 2]) << 8U | page[cell + 3];
  file.seekp(static_cast<std::streamoff>((leaf - 1) * page.size()));
  file.write(std::string(page.size(), '\x7f').data(), page.size());
  file.close();

  auto opened = Recording::open(path);

  ASSERT_TRUE(opened.ok()) << opened.error().message;
  EXPECT_GT(count_target(opened.value()), 2500U);
  EXPECT_THAT(opened.value().warnings(), testing::Contains(HasSubstr("target_sample")));
}

TEST(Recording, sites_come_back_with_their_frames_and_readings) {
  const TemporaryFolder folder;
  Writer writer = make_writer(folder.path("run.db"), 1);
  const model::SiteInfo site{
      .id = model::SiteId{7},
      .process = model::ProcessId{1},
      .frames = {{.language = model::FrameLanguage::Native, .function = "leak", .module = "/lib/x.so"},
                 {.language = model::FrameLanguage::Python,
                  .function = "validate",
                  .file = "trainer.py",
                  .line = 631}},
      .cut = true};
  writer.begin_site(site);
  model::Tick tick = make_tick(1, 1);
  tick.heaps.push_back(
      {.process = model::ProcessId{1}, .live_bytes = 900, .samples = 5, .interval_bytes = 10});
  tick.sites.push_back({.site = site.id,
                        .process = site.process,
                        .live_bytes = 800,
                        .live_samples = 4,
                        .allocated_bytes = 1600,
                        .allocated_samples = 8,
                        .shared_bytes = 300,
                        .old = model::OldSamples{.bytes = 500, .samples = 3, .freed_samples = 2}});
  writer.add(tick);
  writer.close();

  auto opened = Recording::open(folder.path("run.db"));
  ASSERT_TRUE(opened.ok());
  const std::vector<model::SiteInfo> sites = opened.value().sites();
  std::vector<SitePoint> points;
  opened.value().for_each_site([&](const SitePoint& point) { points.push_back(point); });
  std::vector<HeapPoint> heaps;
  opened.value().for_each_heap([&](const HeapPoint& point) { heaps.push_back(point); });

  ASSERT_EQ(sites.size(), 1U);
  EXPECT_EQ(sites[0].id, site.id);
  EXPECT_EQ(sites[0].frames, site.frames);
  EXPECT_TRUE(sites[0].cut);
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].last.site, site.id);
  EXPECT_EQ(points[0].low_bytes, 800U);
  EXPECT_EQ(points[0].last.allocated_samples, 8U);
  EXPECT_EQ(points[0].last.shared_bytes, 300U);
  ASSERT_TRUE(points[0].last.old);
  EXPECT_EQ(points[0].last.old->bytes, 500U);
  EXPECT_EQ(points[0].last.old->samples, 3U);
  EXPECT_EQ(points[0].last.old->freed_samples, 2U);
  ASSERT_EQ(heaps.size(), 1U);
  EXPECT_EQ(heaps[0].last.samples, 5U);
}

TEST(Recording, columns_that_were_added_later_are_absent_and_no_warning) {
  const TemporaryFolder folder;
  {
    Writer writer = make_writer(folder.path("run.db"), 1);
    writer.begin_site({.id = model::SiteId{7}, .process = model::ProcessId{1}});
    model::Tick tick = make_tick(1, 1);
    tick.sites.push_back({.site = model::SiteId{7},
                          .process = model::ProcessId{1},
                          .live_bytes = 800,
                          .allocated_samples = 8,
                          .shared_bytes = 300,
                          .old = model::OldSamples{}});
    writer.add(tick);
    writer.close();
  }
  std::string script = "DROP VIEW site_memory;";
  for (const char* table : {"site_sample", "site_8s", "site_64s", "site_512s", "site_4096s"}) {
    for (const char* column : {"shared_bytes", "old_bytes", "old_samples", "old_freed_samples"}) {
      script += std::string("ALTER TABLE ") + table + " DROP COLUMN " + column + ";";
    }
  }
  change(folder.path("run.db"), script);

  auto opened = Recording::open(folder.path("run.db"));
  ASSERT_TRUE(opened.ok());
  std::vector<SitePoint> points;
  opened.value().for_each_site([&](const SitePoint& point) { points.push_back(point); });

  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].last.allocated_samples, 8U);
  EXPECT_EQ(points[0].last.shared_bytes, 0U);
  EXPECT_FALSE(points[0].last.old);
  EXPECT_TRUE(opened.value().warnings().empty());
}

TEST(Recording, columns_of_other_tables_that_were_added_later_are_absent_too) {
  const TemporaryFolder folder;
  {
    Writer writer = make_writer(folder.path("run.db"), 1);
    model::Judgement judgement;
    judgement.at_s = 5;
    judgement.verdict.spike_bytes = 7;
    judgement.verdict.reason = "flat";
    writer.add_judgement(judgement);
    writer.close();
  }
  change(folder.path("run.db"),
         "ALTER TABLE judgement DROP COLUMN spike_bytes; ALTER TABLE process DROP COLUMN exit_status");

  auto opened = Recording::open(folder.path("run.db"));
  ASSERT_TRUE(opened.ok());
  const std::vector<model::Judgement> judgements = opened.value().judgements();

  ASSERT_EQ(judgements.size(), 1U);
  EXPECT_EQ(judgements[0].verdict.spike_bytes, std::nullopt);
  EXPECT_EQ(judgements[0].verdict.reason, "flat");
  EXPECT_EQ(opened.value().processes().size(), 1U);
  EXPECT_TRUE(opened.value().warnings().empty());
}

TEST(Recording, older_ones_say_in_the_text_that_torch_refused_memory) {
  const TemporaryFolder folder;
  {
    Writer writer = make_writer(folder.path("run.db"), 1);
    using model::EventKind;
    writer.add_event({.kind = EventKind::CudaOom, .text = "a limit of torch refused it"}, std::nullopt);
    writer.add_event({.kind = EventKind::CudaOom, .text = "refused", .is_refused_by_torch = true},
                     std::nullopt);
    writer.close();
  }
  const auto refused = [&] {
    std::vector<bool> out;
    auto opened = Recording::open(folder.path("run.db"));
    for (const RecordedEvent& each : opened.value().events()) out.push_back(each.event.is_refused_by_torch);
    return out;
  };

  EXPECT_EQ(refused(), (std::vector<bool>{false, true}));
  change(folder.path("run.db"), "ALTER TABLE event DROP COLUMN is_refused_by_torch");
  EXPECT_EQ(refused(), (std::vector<bool>{true, false}));
}

TEST(Recording, trim_trials_are_read_as_they_were_written) {
  const TemporaryFolder folder;
  {
    Writer writer = make_writer(folder.path("run.db"), 1);
    writer.add(make_tick(1, 1));
    writer.add_trim_trial({.process = model::ProcessId{1},
                           .at_s = 2.5,
                           .outcome = model::TrimOutcome::Done,
                           .rss_before_bytes = 900,
                           .rss_after_bytes = 400,
                           .trim_s = 0.012,
                           .inspect_s = 0.003,
                           .arena_bytes = 800,
                           .free_bytes = 600});
    writer.add_trim_trial({.process = model::ProcessId{1}, .at_s = 3});
    writer.close();
  }

  auto opened = Recording::open(folder.path("run.db"));
  ASSERT_TRUE(opened.ok());
  const std::vector<model::TrimTrial> trials = opened.value().trim_trials();

  ASSERT_EQ(trials.size(), 2U);
  EXPECT_EQ(trials[0].outcome, model::TrimOutcome::Done);
  EXPECT_EQ(model::given_back_bytes(trials[0]), 500U);
  EXPECT_DOUBLE_EQ(trials[0].trim_s, 0.012);
  EXPECT_EQ(trials[0].free_bytes, 600U);
  EXPECT_EQ(trials[0].mapped_bytes, std::nullopt);
  EXPECT_EQ(trials[1].outcome, model::TrimOutcome::NotReached);
  EXPECT_EQ(model::given_back_bytes(trials[1]), std::nullopt);
}

TEST(Recording, trim_trials_that_make_no_sense_are_left_out_and_said) {
  const TemporaryFolder folder;
  const std::string path = record(folder, 3);
  change(path,
         "INSERT INTO trim_trial VALUES(NULL, 1, 1, 'magic', 9, 4, 0.1, NULL, NULL, NULL, NULL);"
         "INSERT INTO trim_trial VALUES(NULL, 1, -5, 'done', 9, 4, 0.1, NULL, NULL, NULL, NULL);"
         "INSERT INTO trim_trial VALUES(NULL, 'x', 1, 'done', 9, 4, 0.1, NULL, NULL, NULL, NULL);"
         "INSERT INTO trim_trial VALUES(NULL, 1, 1, 'done', -9, 'four', 9e99, NULL, NULL, NULL, NULL)");

  auto opened = Recording::open(path);
  ASSERT_TRUE(opened.ok());

  EXPECT_TRUE(opened.value().trim_trials().empty());
  EXPECT_FALSE(opened.value().warnings().empty());
}

TEST(Recording, tmpfs_and_shared_groups_come_back) {
  const TemporaryFolder folder;
  Writer writer = make_writer(folder.path("run.db"), 1);
  model::Tick tick = make_tick(1, 1);
  tick.tmpfs = {{.index = 3, .used_bytes = 40, .total_bytes = 64, .job_bytes = 30}};
  writer.add(tick);
  writer.set_meta<Meta::TmpfsPath>("/dev/shm", 3);
  model::SharedGroup group{.place = 1, .kind = model::SharedKind::Memfd, .name = "frame*", .count = 5};
  writer.update_shared_group(group);
  writer.commit();
  group.count = 6;
  writer.update_shared_group(group);
  writer.update_shared_group({.place = 0, .name = "/dev/shm/a#", .count = 2, .bytes = 7});
  writer.update_shared_group({.place = 2});
  writer.close();

  auto opened = Recording::open(folder.path("run.db"));
  ASSERT_TRUE(opened.ok());
  std::vector<model::TmpfsReading> read;
  opened.value().for_each_tmpfs([&](const TmpfsPoint& point) { read.push_back(point.last); });
  const std::vector<model::SharedGroup> groups = opened.value().shared_groups();

  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].index, 3);
  EXPECT_EQ(read[0].used_bytes, 40U);
  EXPECT_EQ(read[0].total_bytes, 64U);
  EXPECT_EQ(read[0].job_bytes, 30U);
  EXPECT_EQ(opened.value().meta<Meta::TmpfsPath>(3), "/dev/shm");
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].name, "/dev/shm/a#");
  EXPECT_EQ(groups[1].count, 6U);
  EXPECT_EQ(groups[1].kind, model::SharedKind::Memfd);
}

TEST(Recording, of_before_the_agent_has_no_sites_and_no_warning) {
  const TemporaryFolder folder;
  {
    Writer writer = make_writer(folder.path("run.db"), 1);
    writer.add(make_tick(1, 1));
    writer.close();
  }
  auto database = Database::open(folder.path("run.db"), SQLITE_OPEN_READWRITE);
  ASSERT_TRUE(database.ok());
  ASSERT_EQ(database.value().execute(
                "DROP TABLE frame; DROP TABLE site_sample; DROP TABLE heap_sample; DROP TABLE trim_trial"),
            SQLITE_OK);

  auto opened = Recording::open(folder.path("run.db"));
  ASSERT_TRUE(opened.ok());

  EXPECT_TRUE(opened.value().sites().empty());
  EXPECT_TRUE(opened.value().trim_trials().empty());
  opened.value().for_each_site([](const SitePoint&) { FAIL(); });
  EXPECT_TRUE(opened.value().warnings().empty());
}

TEST(Recording, a_missing_table_is_a_warning) {
  const TemporaryFolder folder;
  const std::string path = record(folder, 10);
  change(path, "DROP TABLE event; DROP TABLE tier; DROP TABLE process_8s");

  auto opened = Recording::open(path);

  ASSERT_TRUE(opened.ok());
  EXPECT_TRUE(opened.value().events().empty());
  EXPECT_EQ(count_target(opened.value()), 10U);
  EXPECT_FALSE(opened.value().warnings().empty());
}

TEST(Recording, a_view_in_place_of_a_table_is_not_run) {
  const TemporaryFolder folder;
  const std::string path = record(folder, 10);
  change(path,
         "DROP TABLE event; CREATE VIEW event AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 "
         "FROM n) "
         "SELECT x AS id, x AS at_s, 'exit' AS kind, NULL AS process, '' AS text FROM n");

  auto opened = Recording::open(path);

  ASSERT_TRUE(opened.ok());
  EXPECT_TRUE(opened.value().events().empty());
}

TEST(Recording, the_view_for_people_gives_what_the_reader_gives) {
  const TemporaryFolder folder;
  const std::string path = folder.path("run.db");
  Writer writer = make_writer(path, 3);
  for (int at_s = 0; at_s < 9'000; ++at_s) {
    writer.add(make_tick(at_s, 3));
    if (at_s % 50 == 0) {
      writer.commit();
    }
  }
  writer.close();
  auto opened = Recording::open(path);
  ASSERT_TRUE(opened.ok());
  std::uint64_t points = 0;
  opened.value().for_each_process_point([&](const ProcessPoint& /*point*/) { ++points; });

  auto database = Database::open(path, SQLITE_OPEN_READONLY);
  ASSERT_TRUE(database.ok());

  EXPECT_EQ(database.value().ask("SELECT sum(count) FROM process_memory").value(), "27000");
  EXPECT_EQ(database.value().ask("SELECT count(*) FROM process_memory").value(), std::to_string(points));
}

}  // namespace
}  // namespace lowtide::record

#include "watch/unkept_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

namespace lowtide::watch {
namespace {

class Place {
 public:
  Place() {
    std::string path = (std::filesystem::temp_directory_path() / "unkept_XXXXXX").string();
    path_ = ::mkdtemp(path.data());
  }
  Place(const Place&) = delete;
  Place(Place&&) = delete;
  Place& operator=(const Place&) = delete;
  Place& operator=(Place&&) = delete;
  ~Place() { std::filesystem::remove_all(path_); }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::ptrdiff_t folders() const {
    return std::distance(std::filesystem::directory_iterator(path_), {});
  }

 private:
  std::string path_;
};

void write_into(const UnkeptFolder& folder) {
  std::ofstream(folder.path() + "/run.lowtide") << "rows";
}

TEST(UnkeptFolder, is_for_its_user_only_and_goes_with_its_files) {
  const Place place;
  {
    auto folder = UnkeptFolder::make(place.path());
    ASSERT_TRUE(folder);
    write_into(folder.value());
    EXPECT_EQ(std::filesystem::status(folder.value().path()).permissions(),
              std::filesystem::perms::owner_all);
    const UnkeptFolder moved = std::move(folder).value();
    EXPECT_TRUE(std::filesystem::exists(moved.path() + "/run.lowtide"));
  }

  EXPECT_EQ(place.folders(), 0);
}

TEST(UnkeptFolder, that_of_a_living_monitor_stays_and_that_of_a_killed_one_is_removed_by_the_next) {
  const Place place;
  int made[2];
  ASSERT_EQ(::pipe(made), 0);
  const pid_t monitor = ::fork();
  if (monitor == 0) {
    const auto folder = UnkeptFolder::make(place.path());
    write_into(folder.value());
    static_cast<void>(::write(made[1], "m", 1));
    for (;;) ::pause();
  }
  char letter = 0;
  ASSERT_EQ(::read(made[0], &letter, 1), 1);
  {
    const auto beside = UnkeptFolder::make(place.path());
    ASSERT_TRUE(beside);
    EXPECT_EQ(place.folders(), 2);
  }

  ::kill(monitor, SIGKILL);
  ASSERT_EQ(::waitpid(monitor, nullptr, 0), monitor);
  const auto next = UnkeptFolder::make(place.path());

  ASSERT_TRUE(next);
  EXPECT_EQ(place.folders(), 1);
}

TEST(UnkeptFolder, is_left_alone_by_a_forked_process_that_ends) {
  const Place place;
  auto folder = UnkeptFolder::make(place.path());
  ASSERT_TRUE(folder);
  write_into(folder.value());

  const pid_t child = ::fork();
  if (child == 0) {
    { const UnkeptFolder mine = std::move(folder).value(); }
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);

  EXPECT_TRUE(std::filesystem::exists(folder.value().path() + "/run.lowtide"));
}

TEST(UnkeptFolder, folders_of_others_are_not_followed_or_touched) {
  const Place place;
  const Place elsewhere;
  std::ofstream(elsewhere.path() + "/file") << "theirs";
  std::filesystem::create_directory_symlink(elsewhere.path(), place.path() + "/lowtide-unkept-linked");
  std::filesystem::create_directory(place.path() + "/unrelated");

  const auto folder = UnkeptFolder::make(place.path());

  ASSERT_TRUE(folder);
  EXPECT_TRUE(std::filesystem::exists(elsewhere.path() + "/file"));
  EXPECT_EQ(place.folders(), 3);
}

}  // namespace
}  // namespace lowtide::watch

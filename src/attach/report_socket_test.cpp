#include "attach/report_socket.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace lowtide::attach {
namespace {

namespace fs = std::filesystem;

// A folder that was lent, and another one with a file of the name of the socket.
fs::path make_folders() {
  std::string pattern = (fs::temp_directory_path() / "report_XXXXXX").string();
  fs::path place = ::mkdtemp(pattern.data());
  fs::create_directory(place / "lent");
  fs::create_directory(place / "elsewhere");
  std::ofstream(place / "elsewhere" / "agents.call") << "a file of root";
  return place;
}

// Root lends its folder to the user of the target, who may put a link in its place.
TEST(ReportSocket, link_that_takes_the_place_of_its_folder_is_not_followed_when_it_is_removed) {
  const fs::path place = make_folders();
  base::Fd folder(::open((place / "lent").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  {
    const auto socket =
        ReportSocket::bind((place / "lent" / "agents.call").string(), ::geteuid(), std::move(folder));
    ASSERT_TRUE(socket);
    EXPECT_TRUE(fs::exists(place / "lent" / "agents.call"));
    fs::rename(place / "lent", place / "old");
    fs::create_directory_symlink(place / "elsewhere", place / "lent");
  }

  EXPECT_TRUE(fs::exists(place / "elsewhere" / "agents.call"));
  EXPECT_FALSE(fs::exists(place / "old" / "agents.call"));
  fs::remove_all(place);
}

// The same before it is made: what has its name in the folder of the link stays.
TEST(ReportSocket, is_made_in_the_folder_that_was_opened_and_not_where_its_path_leads) {
  const fs::path place = make_folders();
  base::Fd folder(::open((place / "lent").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  fs::rename(place / "lent", place / "old");
  fs::create_directory_symlink(place / "elsewhere", place / "lent");

  const auto socket =
      ReportSocket::bind((place / "lent" / "agents.call").string(), ::geteuid(), std::move(folder));

  ASSERT_TRUE(socket);
  EXPECT_TRUE(fs::is_socket(place / "old" / "agents.call"));
  EXPECT_TRUE(fs::is_regular_file(place / "elsewhere" / "agents.call"));
  fs::remove_all(place);
}

}  // namespace
}  // namespace lowtide::attach

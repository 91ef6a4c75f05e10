#include "observe/agents/socket_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <utime.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/testing/temp_folder.h"
#include "observe/agents/agent_socket.h"

namespace lowtide::observe {
namespace {

namespace fs = std::filesystem;

class SocketFolder : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(::mkdtemp(parent_.data()), nullptr); }
  void TearDown() override { fs::remove_all(parent_); }

  std::string made(std::string_view mark) { return make_socket_folder(parent_, mark).value(); }
  // As a killed monitor leaves it: the socket is bound by nobody.
  std::string left_behind(std::string_view mark) {
    std::string folder = made(mark);
    EXPECT_TRUE(AgentSocket::bind(folder + "/agents"));
    return folder;
  }

  std::string parent_ = base::temp_folder() + "folders.XXXXXX";
};

TEST_F(SocketFolder, nobody_else_may_enter_it) {
  const std::string folder = made("0123abcd");

  struct stat info {};
  ASSERT_EQ(::stat(folder.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0700U);
}

TEST_F(SocketFolder, what_a_dead_monitor_left_is_removed) {
  const std::string folder = left_behind("0123abcd");
  ASSERT_TRUE(fs::exists(folder + "/agents"));

  EXPECT_EQ(remove_dead_folders(parent_, "0123abcd"), 1U);

  EXPECT_FALSE(fs::exists(folder));
}

TEST_F(SocketFolder, a_living_monitor_keeps_its_folder) {
  const std::string folder = made("0123abcd");
  const auto socket = AgentSocket::bind(folder + "/agents");

  EXPECT_EQ(remove_dead_folders(parent_, "0123abcd"), 0U);

  EXPECT_TRUE(fs::exists(folder + "/agents"));
}

TEST_F(SocketFolder, folder_of_another_boot_or_machine_is_left_alone) {
  const std::string folder = left_behind("99999999");

  EXPECT_EQ(remove_dead_folders(parent_, "0123abcd"), 0U);

  EXPECT_TRUE(fs::exists(folder));
}

TEST_F(SocketFolder, folder_that_is_just_being_made_is_left_alone) {
  const std::string folder = made("0123abcd");

  EXPECT_EQ(remove_dead_folders(parent_, "0123abcd"), 0U);

  EXPECT_TRUE(fs::exists(folder));
}

TEST_F(SocketFolder, folder_that_never_got_a_socket_is_removed_in_the_end) {
  const std::string folder = made("0123abcd");
  const utimbuf long_ago{1, 1};
  ASSERT_EQ(::utime(folder.c_str(), &long_ago), 0);

  EXPECT_EQ(remove_dead_folders(parent_, "0123abcd"), 1U);
}

TEST_F(SocketFolder, link_to_a_folder_is_not_followed) {
  const std::string folder = left_behind("99999999");
  fs::create_directory_symlink(folder, parent_ + "/lowtide-0123abcd-abcdef");

  EXPECT_EQ(remove_dead_folders(parent_, "0123abcd"), 0U);

  EXPECT_TRUE(fs::exists(folder + "/agents"));
}

TEST_F(SocketFolder, file_that_somebody_put_there_stays) {
  const std::string folder = left_behind("0123abcd");
  std::ofstream(folder + "/notes") << "mine";

  EXPECT_EQ(remove_dead_folders(parent_, "0123abcd"), 0U);

  EXPECT_TRUE(fs::exists(folder + "/notes"));
}

TEST_F(SocketFolder, socket_of_an_attach_goes_too) {
  const std::string folder = left_behind("0123abcd");
  std::ofstream(folder + "/agents.call") << "";

  EXPECT_EQ(remove_dead_folders(parent_, "0123abcd"), 1U);

  EXPECT_FALSE(fs::exists(folder));
}

TEST_F(SocketFolder, parent_that_is_not_there_holds_nothing) {
  EXPECT_EQ(remove_dead_folders(parent_ + "/nowhere", "0123abcd"), 0U);
  EXPECT_FALSE(make_socket_folder(parent_ + "/nowhere", "0123abcd"));
}

}  // namespace
}  // namespace lowtide::observe

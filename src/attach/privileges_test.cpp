#include "attach/privileges.h"

#include <gtest/gtest.h>

namespace lowtide::attach {
namespace {

TEST(Privileges, an_ordinary_user_is_referred_to_root) {
  EXPECT_EQ(with_privileges("lowtide snapshot 4711", 1000), "as root: lowtide snapshot 4711");
}

TEST(Privileges, root_is_never_advised_to_become_root) {
  const std::string hint = with_privileges("lowtide snapshot 4711", 0);

  EXPECT_EQ(hint.find("sudo"), std::string::npos);
  EXPECT_EQ(hint.find("as root"), std::string::npos);
  EXPECT_NE(hint.find("CAP_SYS_PTRACE"), std::string::npos);
  EXPECT_NE(hint.find("lowtide snapshot 4711"), std::string::npos);
}

}  // namespace
}  // namespace lowtide::attach

#include "explain/findings/free_call.h"

#include <gtest/gtest.h>

namespace lowtide::explain {
namespace {

TEST(FreeCall, uses_the_names_of_the_line) {
  EXPECT_EQ(free_call("malloc", "p = libc.malloc(nbytes // 16)"), "libc.free(p)");
  EXPECT_EQ(free_call("calloc", "self.block = self.lib.calloc(1, n)"), "self.lib.free(self.block)");
}

TEST(FreeCall, is_left_out_where_names_would_be_invented) {
  EXPECT_EQ(free_call("malloc", "blocks.append(libc.malloc(64))"), "");
  EXPECT_EQ(free_call("malloc", "p = cast(libc.malloc(64), c_void_p)"), "");
  EXPECT_EQ(free_call("malloc", "p = decode(frame)"), "");
  EXPECT_EQ(free_call("malloc", "a, b = libc.malloc(64), 0"), "");
  EXPECT_EQ(free_call("image_open", "p = lib.image_open(path)"), "") << "free() does not release it";
  EXPECT_EQ(free_call("malloc", ""), "");
}

}  // namespace
}  // namespace lowtide::explain

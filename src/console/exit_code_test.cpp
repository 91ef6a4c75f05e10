#include "console/exit_code.h"

#include <gtest/gtest.h>

namespace lowtide::console {
namespace {

TEST(ExitCode, unreadable_beats_leak_beats_inconclusive_beats_no_leak) {
  EXPECT_EQ(worse_of(ExitCode::Leak, ExitCode::Unreadable), ExitCode::Unreadable);
  EXPECT_EQ(worse_of(ExitCode::Leak, ExitCode::Inconclusive), ExitCode::Leak);
  EXPECT_EQ(worse_of(ExitCode::NoLeak, ExitCode::Inconclusive), ExitCode::Inconclusive);
  EXPECT_EQ(worse_of(ExitCode::NoLeak, ExitCode::NoLeak), ExitCode::NoLeak);
}

}  // namespace
}  // namespace lowtide::console

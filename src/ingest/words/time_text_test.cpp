#include "ingest/words/time_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string_view>

namespace lowtide::ingest {
namespace {

struct Found {
  double seconds = std::nan("");
  Role role = Role::None;
};

Found time_in(std::string_view text) {
  const auto time = find_time(text, 0);
  return time ? Found{read_time(*time, text.data()), time->role()} : Found{};
}

constexpr double kNoon = 1779120286.0;  // 2026-05-18T16:04:46Z

TEST(a_time, is_read_in_the_usual_forms) {
  EXPECT_DOUBLE_EQ(time_in("2026-05-18 16:04:46").seconds, kNoon);
  EXPECT_DOUBLE_EQ(time_in("2026-05-18T16:04:46Z").seconds, kNoon);
  EXPECT_DOUBLE_EQ(time_in("2026-05-18T18:04:46+02:00").seconds, kNoon);
  EXPECT_NEAR(time_in("2026-05-18 16:04:46,338 - root").seconds, kNoon + 0.338, 1e-6);
  EXPECT_NEAR(time_in("2026/05/18 16:04:46.338").seconds, kNoon + 0.338, 1e-6);
  EXPECT_DOUBLE_EQ(time_in("05/18/2026 16:04:46").seconds, kNoon);
  EXPECT_DOUBLE_EQ(time_in("Mon May 18 16:04:46 2026").seconds, kNoon);
  EXPECT_DOUBLE_EQ(time_in("Mon May 18 16:04:46 UTC 2026").seconds, kNoon);
  EXPECT_DOUBLE_EQ(time_in("Mon May 18 04:04:46 PM UTC 2026").seconds, kNoon);
  EXPECT_EQ(time_in("05/10 20:33:26").role, Role::YearlessDate);
  EXPECT_EQ(time_in("May 15 23:09:30 host").role, Role::YearlessDate);
  EXPECT_EQ(time_in("00:43:34").seconds, 43 * 60 + 34);
}

TEST(what_only_looks_like_a_time, is_none) {
  EXPECT_EQ(time_in("00:03<00:00").role, Role::None);
  EXPECT_EQ(time_in("00000000:3B:00.0").role, Role::None);
  EXPECT_EQ(time_in("May be").role, Role::None);
  EXPECT_TRUE(std::isnan(time_in("2026-13-45 16:04:46").seconds));
}

TEST(a_moment, is_written_as_rfc_3339) {
  EXPECT_EQ(to_rfc3339(kNoon), "2026-05-18T16:04:46Z");
}

}  // namespace
}  // namespace lowtide::ingest

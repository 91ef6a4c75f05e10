#include "watch/flags.h"

#include <gtest/gtest.h>

namespace lowtide::watch {
namespace {

using Words = std::vector<std::string>;

TEST(WatchFlags, settings_are_words_that_make_them_again) {
  Settings settings;
  settings.output = "a.lowtide";
  settings.interval_s = 0.5;
  settings.limit_bytes = 32'000'000'000;
  settings.quiet = true;
  settings.use_gpu = false;

  EXPECT_EQ(console::words_of(watch_flags(), settings),
            (Words{"--output", "a.lowtide", "--interval", "500ms", "--limit", "32000000000B", "--quiet",
                   "--no-gpu"}));
}

TEST(WatchFlags, what_was_not_given_is_no_word) {
  EXPECT_EQ(console::words_of(watch_flags(), Settings{}), Words{});
}

TEST(WatchFlags, every_flag_changes_the_settings_and_says_so) {
  console::Flags<Settings> flags = watch_flags();
  for (const auto& flag : {trim_trial_flag(), screen_flag(), deep_flag()}) flags.push_back(flag);
  for (const console::Flag<Settings>& flag : flags) {
    const std::string given = flag.value == "TIME" ? "1s" : flag.value == "SIZE" ? "1G" : "a.lowtide";
    Settings settings;

    EXPECT_FALSE(flag.set(settings, given)) << flag.name;

    EXPECT_EQ(console::words_of(flags, settings).front(), "--" + std::string(flag.name));
  }
}

}  // namespace
}  // namespace lowtide::watch

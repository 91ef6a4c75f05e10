#include "screen/display.h"

#include <gtest/gtest.h>

namespace lowtide::screen {
namespace {

TEST(Display, sorting_goes_round) {
  Display display;
  std::string seen;
  for (int turn = 0; turn < 5; ++turn) {
    handle_key(display, Key::Sort, false);
    seen += std::string(to_string(display.order)) + " ";
  }

  EXPECT_EQ(seen, "memory rate cpu pid growth ");
}

TEST(Display, tab_goes_to_the_output_only_where_there_is_one) {
  Display display;
  for (int turn = 0; turn < 3; ++turn) handle_key(display, Key::NextPane, false);
  EXPECT_EQ(display.focus, Pane::Processes);
  for (int turn = 0; turn < 3; ++turn) handle_key(display, Key::NextPane, true);
  EXPECT_EQ(display.focus, Pane::Output);
  handle_key(display, Key::NextPane, true);
  EXPECT_EQ(display.focus, Pane::Processes);
}

TEST(Display, scrolling_stays_within_the_list) {
  Display display;
  display.last_scroll[0] = 10;
  display.page_rows[0] = 4;
  const auto after = [&](Key key) {
    handle_key(display, key, false);
    return display.scroll[0];
  };

  EXPECT_EQ(after(Key::Up), 0U);
  EXPECT_EQ(after(Key::PageUp), 0U);
  EXPECT_EQ(after(Key::Down), 1U);
  EXPECT_EQ(after(Key::PageDown), 5U);
  EXPECT_EQ(after(Key::Last), 10U);
  EXPECT_EQ(after(Key::Down), 10U);
  EXPECT_EQ(after(Key::PageUp), 6U);
  EXPECT_EQ(after(Key::First), 0U);
}

TEST(Display, quit_within_the_help_leaves_the_help) {
  Display display;
  EXPECT_EQ(handle_key(display, Key::Help, false), ScreenAction::None);
  EXPECT_TRUE(display.shows_help);
  EXPECT_EQ(handle_key(display, Key::Quit, false), ScreenAction::None);
  EXPECT_FALSE(display.shows_help);
  EXPECT_EQ(handle_key(display, Key::Quit, false), ScreenAction::Quit);
}

TEST(Display, keys_that_others_must_answer) {
  Display display;
  display.notice = "old";
  EXPECT_EQ(handle_key(display, Key::Look, false), ScreenAction::Look);
  EXPECT_EQ(handle_key(display, Key::Redraw, false), ScreenAction::Redraw);
  EXPECT_EQ(handle_key(display, Key::Pause, false), ScreenAction::None);
  EXPECT_TRUE(display.is_paused);
  EXPECT_TRUE(display.notice.empty());
}

}  // namespace
}  // namespace lowtide::screen

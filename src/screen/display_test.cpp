#include "screen/display.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

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

TEST(Display, scrolling_stays_within_a_list_without_selection) {
  Display display;
  display.focus = Pane::Output;
  PaneState& pane = display.pane(Pane::Output);
  pane.last_scroll = 10;
  pane.page_rows = 4;
  const auto after = [&](Key key) {
    handle_key(display, key, true);
    return pane.scroll;
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

// Ten lines, of which rows 12 to 15 of the screen show the first four.
Display display_of_ten() {
  Display display;
  PaneState& pane = display.pane(Pane::Processes);
  for (int line = 0; line < 10; ++line) pane.ids.push_back("id " + std::to_string(line));
  pane.last_scroll = 6;
  pane.page_rows = 4;
  pane.first_row = 12;
  return display;
}

TEST(Display, arrows_select_a_line_and_keep_it_visible) {
  Display display = display_of_ten();
  const PaneState& pane = display.pane(Pane::Processes);
  const auto after = [&](Key key) {
    handle_key(display, key, false);
    return pane.selected + " at " + std::to_string(pane.scroll);
  };

  EXPECT_EQ(after(Key::Down), "id 0 at 0");
  EXPECT_EQ(after(Key::Down), "id 1 at 0");
  EXPECT_EQ(after(Key::PageDown), "id 5 at 2");
  EXPECT_EQ(after(Key::Last), "id 9 at 6");
  EXPECT_EQ(after(Key::Down), "id 9 at 6");
  EXPECT_EQ(after(Key::PageUp), "id 5 at 5");
  EXPECT_EQ(after(Key::First), "id 0 at 0");
  EXPECT_EQ(after(Key::Up), "id 0 at 0");
}

TEST(Display, a_line_stays_selected_when_the_order_changes) {
  Display display = display_of_ten();
  PaneState& pane = display.pane(Pane::Processes);
  handle_key(display, Key::Down, false);
  std::swap(pane.ids[0], pane.ids[7]);

  EXPECT_EQ(find_selected(pane), 7U);
  handle_key(display, Key::Down, false);
  EXPECT_EQ(pane.selected, "id 8");
  pane.ids.pop_back();
  pane.ids.pop_back();
  EXPECT_EQ(find_selected(pane), std::nullopt);
}

TEST(Display, enter_shows_the_detail_and_any_key_closes_it) {
  Display display = display_of_ten();
  handle_key(display, Key::Open, false);
  EXPECT_TRUE(display.shows_detail);
  EXPECT_EQ(display.pane(Pane::Processes).selected, "id 0");
  EXPECT_EQ(handle_key(display, Key::Quit, false), ScreenAction::None);
  EXPECT_FALSE(display.shows_detail);

  display.focus = Pane::Output;
  handle_key(display, Key::Open, true);
  EXPECT_FALSE(display.shows_detail);
}

TEST(Display, the_filter_takes_letters_until_enter_or_escape) {
  Display display;
  handle_key(display, Key::Filter, false);
  for (const char c : std::string("qs")) {
    EXPECT_EQ(handle_key(display, KeyPress{.key = Key::Character, .character = c}, false),
              ScreenAction::None);
  }
  EXPECT_EQ(display.filter, "qs");
  handle_key(display, Key::Erase, false);
  handle_key(display, Key::Open, false);
  EXPECT_EQ(display.filter, "q");
  EXPECT_FALSE(display.edits_filter);
  EXPECT_FALSE(display.shows_detail);
  EXPECT_EQ(handle_key(display, Key::Quit, false), ScreenAction::Quit);
  handle_key(display, Key::Close, false);
  EXPECT_EQ(display.filter, "");
}

TEST(Display, a_click_selects_a_line_and_a_second_click_opens_it) {
  Display display = display_of_ten();
  display.focus = Pane::Sites;
  const auto click = [&](std::size_t row) {
    handle_key(display, KeyPress{.key = Key::Click, .row = row}, false);
  };
  const PaneState& pane = display.pane(Pane::Processes);

  click(3);  // the plot
  EXPECT_EQ(display.focus, Pane::Sites);
  click(11);  // the heading
  EXPECT_EQ(display.focus, Pane::Processes);
  EXPECT_EQ(pane.selected, "");
  click(14);
  EXPECT_EQ(pane.selected, "id 2");
  EXPECT_FALSE(display.shows_detail);
  click(14);
  EXPECT_TRUE(display.shows_detail);
  click(14);
  EXPECT_FALSE(display.shows_detail);
  click(16);  // below the list
  EXPECT_EQ(pane.selected, "id 2");
}

TEST(Display, the_wheel_scrolls_the_list_under_the_pointer) {
  Display display = display_of_ten();
  display.focus = Pane::Sites;
  const auto turn = [&](Key key) {
    handle_key(display, KeyPress{.key = key, .row = 13}, false);
    return display.pane(Pane::Processes).scroll;
  };

  EXPECT_EQ(turn(Key::WheelDown), 3U);
  EXPECT_EQ(turn(Key::WheelDown), 6U);
  EXPECT_EQ(turn(Key::WheelDown), 6U);
  EXPECT_EQ(turn(Key::WheelUp), 3U);
  EXPECT_EQ(display.focus, Pane::Sites);
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
  EXPECT_EQ(handle_key(display, Key::Snapshot, false), ScreenAction::Snapshot);
  EXPECT_EQ(handle_key(display, Key::Redraw, false), ScreenAction::Redraw);
  EXPECT_EQ(handle_key(display, Key::Pause, false), ScreenAction::None);
  EXPECT_TRUE(display.is_paused);
  EXPECT_TRUE(display.notice.empty());
}

}  // namespace
}  // namespace lowtide::screen

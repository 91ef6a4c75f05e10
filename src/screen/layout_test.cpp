// The screen at three sizes against the files in tests/golden/screen.

#include "screen/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "screen/testing/sample_views.h"
#include "show/terminal/layout.h"
#include "show/testing/golden.h"

namespace lowtide::screen {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string role_mark(show::Role role) {
  constexpr std::string_view kMarks = ".HdNLUsfml";  // in the order of the enumeration
  return {kMarks[static_cast<std::size_t>(role)]};
}

std::string text_of_all(const std::vector<Row>& rows) {
  std::string out;
  for (const Row& row : rows) out += text_of(row) + "\n";
  return out;
}

// The rows, and then for each the roles of its pieces.
std::string golden_text(const std::vector<Row>& rows) {
  std::string out = text_of_all(rows) + "\nroles\n";
  for (const Row& row : rows) {
    std::string roles = row.is_bar ? "bar " : "";
    for (const show::Piece& piece : row.pieces) roles += role_mark(piece.role);
    out += roles + "\n";
  }
  return out;
}

LayoutOptions of_size(std::size_t columns, std::size_t rows) {
  return {.size = {columns, rows}, .unicode = true, .is_child = true};
}

TEST(Layout, is_as_it_was_at_three_sizes) {
  for (const auto& [columns, rows] : {std::pair<std::size_t, std::size_t>{80, 24}, {120, 40}, {200, 60}}) {
    Display display;
    show::expect_golden("screen/leak." + std::to_string(columns) + "x" + std::to_string(rows) + ".txt",
                        golden_text(lay_out(leak_view(), display, of_size(columns, rows))));
  }
}

TEST(Layout, of_the_first_moment_and_of_the_help) {
  Display display;
  show::expect_golden("screen/empty.80x24.txt", golden_text(lay_out(empty_view(), display, of_size(80, 24))));
  display.shows_help = true;
  show::expect_golden("screen/help.80x24.txt", golden_text(lay_out(leak_view(), display, of_size(80, 24))));
}

TEST(Layout, fills_every_size_and_never_more) {
  for (std::size_t columns = 1; columns < 130; columns += 3) {
    for (std::size_t rows = 1; rows < 50; ++rows) {
      for (const bool unicode : {true, false}) {
        Display display;
        LayoutOptions options = of_size(columns, rows);
        options.unicode = unicode;
        display.shows_help = rows % 7 == 0;
        const auto laid_out = lay_out(rows % 5 == 0 ? empty_view() : leak_view(), display, options);
        ASSERT_EQ(laid_out.size(), rows);
        for (const Row& row : laid_out) ASSERT_LE(show::display_width(text_of(row)), columns) << text_of(row);
      }
    }
  }
}

TEST(Layout, says_the_verdict_and_when_the_limit_is_met_even_where_it_is_small) {
  Display display;
  const std::string text = text_of_all(lay_out(leak_view(), display, of_size(60, 8)));

  EXPECT_THAT(text, HasSubstr("LEAK  train.py:47 -> history"));
  EXPECT_THAT(text, HasSubstr("the job reaches the limit (8 GiB) at step 13,000 (12,500 to"));
}

TEST(Layout, order_is_what_was_asked_for) {
  Display display;
  const auto first_of = [&](Order order) {
    display.order = order;
    const std::string text = text_of_all(lay_out(leak_view(), display, of_size(120, 40)));
    const std::size_t heading = text.find("PROCESS");
    const std::size_t line = text.find('\n', heading) + 1;
    return text.substr(line, 24);
  };

  EXPECT_THAT(first_of(Order::Growth), HasSubstr("4711 trainer"));
  EXPECT_THAT(first_of(Order::Memory), HasSubstr("4711 trainer"));
  EXPECT_THAT(first_of(Order::Pid), HasSubstr("4700 wrapper"));
  EXPECT_THAT(first_of(Order::Cpu), HasSubstr("4711 trainer"));
}

TEST(Layout, a_list_that_is_scrolled_to_its_end_shows_its_last_line) {
  Display display;
  lay_out(leak_view(), display, of_size(80, 24));
  ASSERT_GT(display.panes[0].last_scroll, 0U);
  handle_key(display, Key::Last, true);
  const std::string text = text_of_all(lay_out(leak_view(), display, of_size(80, 24)));

  EXPECT_THAT(text, HasSubstr("wrapper"));
  EXPECT_THAT(text, Not(HasSubstr("trainer    ")));
  EXPECT_THAT(text, HasSubstr("of 14"));
}

TEST(Layout, a_list_that_became_shorter_is_not_scrolled_past_its_end) {
  Display display;
  display.panes[0].scroll = 1000;
  lay_out(leak_view(), display, of_size(80, 24));

  EXPECT_EQ(display.panes[0].scroll, display.panes[0].last_scroll);
}

TEST(Layout, the_newest_words_of_the_job_are_shown_unless_one_has_scrolled_up) {
  Display display;
  View view = leak_view();
  EXPECT_THAT(text_of_all(lay_out(view, display, of_size(80, 24))), HasSubstr("step 3000 loss"));
  view.output.emplace_back("step 3010 loss 0.508");
  EXPECT_THAT(text_of_all(lay_out(view, display, of_size(80, 24))), HasSubstr("step 3010 loss"));

  display.focus = Pane::Output;
  lay_out(view, display, of_size(80, 24));
  handle_key(display, Key::First, true);
  view.output.emplace_back("step 3020 loss 0.507");
  EXPECT_THAT(text_of_all(lay_out(view, display, of_size(80, 24))), HasSubstr("epoch 1"));
}

TEST(Layout, ascii_stays_ascii) {
  Display display;
  View view = leak_view();
  view.job = "tr\xC3\xA4in \xE2\x82\xAC";
  LayoutOptions options = of_size(100, 40);
  options.unicode = false;
  for (const Row& row : lay_out(view, display, options)) {
    for (const char c : text_of(row)) ASSERT_TRUE(c >= ' ' && c <= '~') << text_of(row);
  }
}

TEST(Layout, the_selected_line_is_marked_where_it_is) {
  Display display;
  lay_out(leak_view(), display, of_size(80, 24));
  handle_key(display, Key::Down, true);
  handle_key(display, Key::Down, true);
  const auto rows = lay_out(leak_view(), display, of_size(80, 24));
  const std::size_t row = display.panes[0].first_row + 1;

  EXPECT_EQ(text_of(rows[row]).substr(0, 8), ">   4731");
  handle_key(display, KeyPress{.key = Key::Click, .row = row}, true);
  EXPECT_TRUE(display.shows_detail);
}

TEST(Layout, the_detail_of_a_process_has_its_whole_command_its_lines_and_its_variables) {
  Display display;
  lay_out(leak_view(), display, of_size(60, 40));
  handle_key(display, Key::Open, true);
  const std::string text = text_of_all(lay_out(leak_view(), display, of_size(60, 40)));

  EXPECT_THAT(text, HasSubstr("process 4711"));
  EXPECT_THAT(text, HasSubstr("--epochs 20 --batch-size 64"));
  EXPECT_THAT(text, HasSubstr("train.py:47 in validate"));
  EXPECT_THAT(text, HasSubstr("__main__.trainer.history (list)"));
  EXPECT_THAT(text, Not(HasSubstr("decode_frame")));  // of another process
  EXPECT_THAT(text, HasSubstr("press any key to go back"));
}

TEST(Layout, the_detail_of_a_line_and_of_a_variable_name_their_process) {
  for (const Pane pane : {Pane::Sites, Pane::Holders}) {
    Display display;
    display.focus = pane;
    lay_out(leak_view(), display, of_size(80, 24));
    handle_key(display, Key::Open, true);
    EXPECT_THAT(text_of_all(lay_out(leak_view(), display, of_size(80, 24))), HasSubstr("trainer, pid 4711"));

    View later = leak_view();
    later.sites.clear();
    later.holders.clear();
    EXPECT_THAT(text_of_all(lay_out(later, display, of_size(80, 24))), HasSubstr("not in the list any more"));
  }
}

TEST(Layout, a_filter_leaves_only_lines_that_contain_it) {
  Display display;
  display.filter = "WORKER 1";
  const std::string text = text_of_all(lay_out(leak_view(), display, of_size(120, 40)));

  EXPECT_THAT(text, HasSubstr("worker 11"));
  EXPECT_THAT(text, Not(HasSubstr("worker 2 ")));
  EXPECT_THAT(text, HasSubstr("no line contains 'WORKER 1'"));
  EXPECT_THAT(text, HasSubstr("filter: WORKER 1 (Esc clears it)"));
  EXPECT_EQ(display.panes[0].ids.size(), 3U);  // 1, 10 and 11
}

// The verdict may be some seconds old: after a spike its floor is still that of the spike.
TEST(Layout, the_floor_is_never_above_the_memory_in_use) {
  Display display;
  View view = leak_view();
  view.bytes = 86'200'000;
  view.series.verdict.floor.last_bytes = 386'000'000;
  const std::string text = text_of_all(lay_out(view, display, of_size(120, 40)));

  EXPECT_THAT(text, HasSubstr("memory 86.2 MB in 14 processes, floor 86.2 MB, peak 4.40 GB"));
}

TEST(Layout, a_pause_and_a_notice_are_seen) {
  Display display;
  display.is_paused = true;
  display.notice = "taking a snapshot";
  const std::string text = text_of_all(lay_out(leak_view(), display, of_size(80, 24)));

  EXPECT_THAT(text, HasSubstr("PAUSED"));
  EXPECT_THAT(text, HasSubstr("taking a snapshot"));
}

}  // namespace
}  // namespace lowtide::screen

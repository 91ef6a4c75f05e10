#include "show/document/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "show/document/report_sections.h"
#include "show/document/writers.h"

namespace lowtide::show {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Table numbers(std::size_t rows) {
  Table table{.columns = {{"number"}, {"wide", kText, 90}, {"twice", kMarkdown}}};
  for (std::size_t at = 0; at < rows; ++at)
    table.rows.push_back({{std::to_string(at), "w", std::to_string(2 * at)}});
  return table;
}

TEST(Document, a_column_is_there_for_its_formats_and_where_there_is_room) {
  EXPECT_THAT(grid_of(numbers(1), kText, 80).head, ElementsAre("number"));
  EXPECT_THAT(grid_of(numbers(1), kText, 90).head, ElementsAre("number", "wide"));
  EXPECT_THAT(grid_of(numbers(1), kMarkdown).rows[0].cells, ElementsAre("0", "0"));
}

TEST(Document, rows_without_room_are_counted_at_the_end_or_between_the_others) {
  Table table = numbers(9);
  table.text = {.first = 4};
  table.markdown = {.first = 2, .last = 3};

  EXPECT_EQ(grid_of(table, kText).after, 5U);
  const Grid grid = grid_of(table, kMarkdown);
  ASSERT_EQ(grid.rows.size(), 6U);
  EXPECT_EQ(grid.gap, 2U);
  EXPECT_THAT(grid.rows[2].cells, ElementsAre("…", "4 more between these"));
  EXPECT_EQ(grid.rows[5].cells[0], "8");
  EXPECT_FALSE(grid_of(table, kPage).gap);
}

TEST(Document, what_was_left_out_before_is_stated_although_there_is_room) {
  Table table = numbers(3);
  table.markdown = {.first = 2, .last = 3};
  table.left_out = 1000;

  EXPECT_THAT(grid_of(table, kMarkdown).rows[2].cells, ElementsAre("…", "1,000 more between these"));
}

TEST(Document, a_table_that_is_too_wide_for_the_terminal_leaves_out_what_needs_most_room) {
  const Table table{.columns = {{"role"}, {"floor", kEverywhere, 30}, {"PSS", kEverywhere, 20}},
                    .rows = {{{"trainer", "17.7 MB → 122 MB", "6.88 MB at 21.4 s"}}}};
  const auto text = [&](std::size_t width) {
    TextOptions options;
    options.width = width;
    return write_text({.sections = {{.blocks = {table}}}}, options);
  };

  EXPECT_EQ(text(60), "  role     floor             PSS\n  trainer  17.7 MB → 122 MB  6.88 MB at 21.4 s\n");
  EXPECT_EQ(text(40), "  role     PSS\n  trainer  6.88 MB at 21.4 s\n");
  EXPECT_EQ(text(24), "  role\n  trainer\n");
}

TEST(Document, every_writer_makes_text_harmless) {
  const std::string attack = "\x1b[31m<b>|x| `y`";
  Section section{.id = "s", .label = attack, .title = attack};
  section.blocks = {Answer{.words = attack},
                    Paragraph{.text = attack},
                    Facts{.facts = {{.name = "n", .value = attack}}},
                    List{.items = {{.text = attack}}},
                    Table{.columns = {{"head"}}, .rows = {{{attack}}}},
                    Claims{.claims = {{.title = attack, .facts = {{.value = attack}}}}}};
  const Document document{.title = attack, .sections = {section}};

  EXPECT_THAT(write_text(document, {}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(write_markdown(document), Not(testing::AnyOf(HasSubstr("\x1b"), HasSubstr("<b>"))));
  EXPECT_THAT(write_markdown(document), HasSubstr("| ?\\[31m&lt;b&gt;\\|x\\| \\`y\\` |"));
  EXPECT_THAT(page_section(section), Not(testing::AnyOf(HasSubstr("\x1b"), HasSubstr("<b>|"))));
}

TEST(Document, native_frames_in_a_row_are_one_item_of_a_stack) {
  const auto frame = [](model::FrameLanguage language, const char* function) {
    model::Frame out;
    out.language = language;
    out.function = function;
    if (language == model::FrameLanguage::Python) out.file = "train.py";
    return out;
  };
  using enum model::FrameLanguage;
  model::Report report;
  model::SiteReport site;
  site.pid = 7;
  site.live_bytes = 900;
  site.growth_bytes = 900;
  site.share = 1.0;
  for (const char* name : {"malloc", "empty_cpu", "empty", "THPVariable_empty"})
    site.frames.push_back(frame(Native, name));
  site.frames.push_back(frame(Python, "step"));
  site.frames.push_back(frame(Native, "call"));
  site.frames.push_back(frame(Python, "main"));
  site.act_on = 4;
  report.sites = {site};

  const std::string text = write_markdown({.sections = {sites_section(report, false)}});

  EXPECT_THAT(text, HasSubstr("1. malloc ... THPVariable\\_empty (4 native frames)\n2. **train.py in step**\n"
                              "3. call\n4. train.py in main\n"));
}

TEST(Document, a_section_that_says_nothing_in_a_format_has_no_heading_there) {
  const Document document{
      .sections = {{.label = "l", .title = "t", .blocks = {Paragraph{.in = kText, .text = "x"}}}}};

  EXPECT_EQ(write_text(document, {}), "l\n  x\n");
  EXPECT_EQ(write_markdown(document), "");
}

}  // namespace
}  // namespace lowtide::show

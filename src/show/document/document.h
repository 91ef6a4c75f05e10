// The content of a report before it is written. It is built once for each kind of report; terminal text,
// Markdown and page are writers of it. Texts are plain: each writer makes them safe for its format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/finding.h"
#include "model/series_report.h"
#include "show/terminal/paint.h"

namespace lowtide::show {

// The formats that have a part; others pass over it.
using Formats = std::uint8_t;
inline constexpr Formats kText = 1;
inline constexpr Formats kMarkdown = 2;
inline constexpr Formats kPage = 4;
inline constexpr Formats kEverywhere = kText | kMarkdown | kPage;

// A cell of a number that does not exist.
inline constexpr std::string_view kNoValue = "–";

// What a person reads first.
struct Answer {
  Formats in = kEverywhere;
  std::string label = {};  // "LEAK"
  std::string words = {};
  Role role = Role::Heading;           // of the label
  std::vector<std::string> more = {};  // rate and confidence; in text at the right edge
  std::string short_words = {};        // in text, if there is no room for the words and the right part
  bool is_one_line = false;            // is cut, not wrapped
};

struct Paragraph {
  Formats in = kEverywhere;
  std::string text;
  Role role = Role::Plain;
  bool is_strong = false;
  bool is_indented = true;  // in text
};

struct Fact {
  Formats in = kEverywhere;
  std::string name = {};  // empty: the value stands alone
  std::string value;
  std::string note = {};               // below the value, on the page
  std::vector<std::string> more = {};  // further values of the same name, in text
  bool is_code = false;                // is cut where it is too long, not wrapped
};

struct Facts {
  Formats in = kEverywhere;
  std::vector<Fact> facts = {};
  bool is_table = false;  // in Markdown, where it is a list otherwise
};

struct TableColumn {
  std::string name;
  Formats in = kEverywhere;
  std::size_t least_width = 0;  // of a terminal that has room for it; a table that is too wide leaves it out
};

struct TableRow {
  std::vector<std::string> cells;
  std::optional<std::size_t> strong_cell = {};  // in Markdown
};

// The rows that are written where there is no room for all.
struct Room {
  std::size_t first = SIZE_MAX;
  std::size_t last = 0;
};

struct Table {
  Formats in = kEverywhere;
  std::vector<TableColumn> columns;
  std::vector<TableRow> rows = {};
  bool has_head_in_text = true;
  bool is_indented = true;  // in text
  Room text = {};
  Room markdown = {};
  Room page = {};
  std::uint64_t left_out = 0;  // between the rows for which there is room
  std::string id = {};         // in the page
};

struct Item {
  std::string text;
  bool is_strong = false;
  std::vector<std::string> more = {};  // not in text
};

struct List {
  Formats in = kEverywhere;
  std::vector<Item> items = {};
  std::string title = {};
  bool is_numbered = false;
  bool is_prose = true;   // its items are sentences
  std::string note = {};  // below them
};

// A line with its verdict, and lines below it; in text only.
struct Entry {
  struct Detail {
    std::string text;
    Role role = Role::Plain;
    std::string mark = {};  // before the text; a line with a mark is cut and not wrapped
  };
  std::string head;  // with the blanks before the verdict
  std::string verdict;
  Role role = Role::Plain;
  std::vector<Detail> details = {};
};

struct Entries {
  Formats in = kText;
  std::vector<Entry> entries = {};
  std::size_t indent = 0;  // of verdicts that need a line of their own, and of details
};

// A finding: what is claimed, and what belongs to it.
struct Claim {
  enum class Form { Sentence, List, Code, Place };  // Place: pieces of code, with words between them
  struct Part {
    Formats in = kEverywhere;
    std::string label;  // in text
    std::string name;   // in the page
    std::vector<std::string> texts = {};
    Form form = Form::Sentence;
  };
  model::Severity severity = model::Severity::Info;
  std::string title;
  std::vector<Fact> facts = {};
  std::vector<Part> parts = {};
};

struct Claims {
  Formats in = kEverywhere;
  std::vector<Claim> claims = {};
};

struct Plot {
  Formats in = kText;
  const model::SeriesReport* series = nullptr;  // must outlive the document
  std::optional<std::uint64_t> limit_bytes = {};
  bool is_small = false;     // a few rows: the line only
  bool is_optional = false;  // it is left out where the document has no room for it
};

using Block = std::variant<Answer, Paragraph, Facts, Table, List, Entries, Claims, Plot>;

struct Section {
  std::string id = {};     // in the page
  std::string label = {};  // its heading in text
  std::string title = {};  // its heading in Markdown and in the page
  std::vector<Block> blocks = {};
  bool follows = false;   // without a blank line before it, in text
  bool is_brief = false;  // is written with --quiet
};

struct Document {
  std::string title = {};  // in Markdown
  std::vector<Section> sections = {};
  std::size_t widest_line = SIZE_MAX;  // in text
  std::size_t most_lines = SIZE_MAX;   // in text; small plots have fewer rows, so that the rest fits
  std::size_t widest_cell = 28;        // in text, but for the last of a row
};

// Its label with a capital.
std::string title_of(std::string label);

// A section of one table.
Section table_section(const std::string& label, Table table);

// A table as one format has it: its columns, and the rows for which there is room. Where rows are left out
// between others, a row reports it.
struct Grid {
  std::vector<std::string> head;
  std::vector<TableRow> rows;
  std::optional<std::size_t> gap = {};  // the row that stands for others
  std::size_t after = 0;                // rows that are left out at the end
};
Grid grid_of(const Table& table, Formats format, std::size_t width = SIZE_MAX);

}  // namespace lowtide::show

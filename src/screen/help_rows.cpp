#include "screen/help_rows.h"

#include <string>
#include <utility>

#include "show/terminal/layout.h"

namespace lowtide::screen {
namespace {

using Cells = std::vector<std::vector<std::string>>;

Cells key_cells(bool is_child) {
  return {
      {"q", is_child ? "close the screen; the report is printed when the job ends"
                     : "stop watching and print the report; the job keeps running"},
      {"s", "sort the lists by growth, memory, rate, cpu or pid"},
      {"p", "pause the display; lowtide keeps watching"},
      {"n", "take a heap snapshot of the job's Python processes now"},
      {"Tab", "go to the next list and give it more room"},
      {"arrows, PgUp, PgDn", "select a line; Home and End: the first and the last"},
      {"Enter", "show the details of the selected line"},
      {"/", "show only lines that contain a text; Esc shows all"},
      {"mouse", "a click selects, a second click opens, the wheel scrolls"},
      {"Ctrl-L", "draw the screen again"},
      {"h, ?", "show this page; any key closes it"},
      {"Ctrl-C", is_child ? "interrupt the job, as without the screen" : "the same as q"},
  };
}

Cells meaning_cells(const View& view) {
  Cells cells{
      {"MEMORY", "memory of the process that it does not share with others"},
      {"GROWTH", "growth of the floor since lowtide watches; spikes do not count"},
      {"RATE", "growth of the floor per minute, recently"},
      {"LIVE", "memory that the line allocated and that is not freed, from samples"},
  };
  if (!view.output_path.empty()) {
    cells.push_back({"OUTPUT", "the job's output goes to " + view.output_path +
                                   "; Python buffers it unless it runs with python -u"});
  }
  if (!view.recording.empty()) cells.push_back({"recording", view.recording});
  return cells;
}

void add(std::vector<Row>& rows, const std::string& title, const Cells& cells, std::size_t columns) {
  rows.push_back(role_row(show::Role::Heading, title));
  const std::size_t room = columns > 2 ? columns - 2 : 1;
  for (const std::string& line : show::table(cells, room)) rows.push_back(plain_row("  " + line));
}

}  // namespace

std::vector<Row> help_rows(const View& view, bool is_child, std::size_t columns) {
  std::vector<Row> rows;
  add(rows, "keys", key_cells(is_child), columns);
  rows.emplace_back();
  add(rows, "columns", meaning_cells(view), columns);
  return rows;
}

}  // namespace lowtide::screen

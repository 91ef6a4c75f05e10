#include "screen/help_rows.h"

#include <string>
#include <utility>

#include "show/terminal/layout.h"

namespace lowtide::screen {
namespace {

using Cells = std::vector<std::vector<std::string>>;

Cells key_cells(bool is_child) {
  return {
      {"q", is_child ? "close the screen; the job goes on, and its report comes at its end"
                     : "end the watching and tell what was seen; the job goes on"},
      {"s", "sort the lists by growth, memory, rate, cpu or pid"},
      {"p", "hold the display still; the watching goes on"},
      {"n", "look into the job's Pythons now, for what holds memory"},
      {"Tab", "the next list gets the keys, and more room"},
      {"arrows, PgUp, PgDn", "scroll that list; Home and End, or g and G: its first and last lines"},
      {"Ctrl-L", "draw the screen anew"},
      {"h, ?", "this page; any key leaves it"},
      {"Ctrl-C", is_child ? "interrupts the job, as without the screen" : "the same as q"},
  };
}

Cells meaning_cells(const View& view) {
  Cells cells{
      {"MEMORY", "what a process alone is to blame for; pages that processes share are counted once"},
      {"GROWTH", "of the low-water mark, since it is watched: spikes do not count"},
      {"RATE", "of the same, lately"},
      {"ALIVE", "allocated by a line and not freed, as sampled by the agent"},
  };
  if (!view.output_path.empty()) {
    cells.push_back({"OUTPUT", "what the job writes goes into " + view.output_path +
                                   "; a Python keeps back what it prints to a file: python -u does not"});
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
  add(rows, "what is shown", meaning_cells(view), columns);
  return rows;
}

}  // namespace lowtide::screen

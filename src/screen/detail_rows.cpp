#include "screen/detail_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/units.h"
#include "screen/panes.h"
#include "show/terminal/layout.h"
#include "show/words.h"

namespace lowtide::screen {
namespace {

using Facts = std::vector<std::vector<std::string>>;
using show::bytes_words;

constexpr std::size_t kMostRelated = 8;

void add_facts(std::vector<Row>& rows, const std::string& title, const Facts& facts, std::size_t columns) {
  rows.push_back(role_row(show::Role::Heading, title));
  const std::size_t room = columns > 2 ? columns - 2 : 1;
  for (const std::string& line : show::table(facts, room)) rows.push_back(plain_row("  " + line));
}

template <typename Line>
const Line* find_line(const std::vector<Line>& lines, const std::string& id) {
  const auto found =
      std::find_if(lines.begin(), lines.end(), [&](const Line& line) { return id_of(line) == id; });
  return found == lines.end() ? nullptr : &*found;
}

std::string process_name(const View& view, std::int64_t pid) {
  const ProcessLine* process = find_line(view.processes, std::to_string(pid));
  return process == nullptr ? fmt::format("pid {}", pid)
                            : fmt::format("{}, pid {}: {}", process->role, pid, process->command);
}

template <typename Line>
std::vector<Line> lines_of(std::vector<Line> lines, std::int64_t pid) {
  std::erase_if(lines, [pid](const Line& line) { return line.pid != pid; });
  return lines;
}

template <typename Line, typename Rank, typename Fact>
void add_related(std::vector<Row>& rows, const std::string& title, std::vector<Line> lines, Rank rank,
                 Fact fact, std::size_t columns) {
  if (lines.empty()) return;
  std::stable_sort(lines.begin(), lines.end(),
                   [&](const Line& a, const Line& b) { return rank(a) > rank(b); });
  Facts facts;
  for (std::size_t at = 0; at < std::min(lines.size(), kMostRelated); ++at) facts.push_back(fact(lines[at]));
  rows.emplace_back();
  add_facts(rows, title, facts, columns);
}

void add_sites_of(std::vector<Row>& rows, const View& view, std::int64_t pid, std::size_t columns) {
  add_related(
      rows, "lines that allocate in this process", lines_of(view.sites, pid),
      [](const SiteLine& line) { return line.growth_bytes; },
      [](const SiteLine& line) {
        return std::vector<std::string>{bytes_words(line.live_bytes), growth_text(line.growth_bytes),
                                        line.place};
      },
      columns);
}

void add_holders_of(std::vector<Row>& rows, const View& view, std::int64_t pid, std::size_t columns) {
  add_related(
      rows, "variables that hold memory in this process", lines_of(view.holders, pid),
      [](const HolderLine& line) { return line.growth_bytes.value_or(0); },
      [](const HolderLine& line) {
        return std::vector<std::string>{bytes_words(line.bytes),
                                        line.growth_bytes ? growth_text(*line.growth_bytes) : "?", line.name};
      },
      columns);
}

std::vector<Row> process_rows(const View& view, const ProcessLine& line, std::size_t columns) {
  std::vector<Row> rows;
  add_facts(rows, fmt::format("process {}", line.pid),
            {{"role", line.role},
             {"command", line.command},
             {"memory", bytes_words(line.bytes)},
             {"growth", growth_text(line.growth_bytes)},
             {"rate", rate_text(line.bytes_per_s)},
             {"CPU", cpu_text(line.cpu_share)}},
            columns);
  add_sites_of(rows, view, line.pid, columns);
  add_holders_of(rows, view, line.pid, columns);
  return rows;
}

std::vector<Row> site_rows(const View& view, const SiteLine& line, std::size_t columns) {
  std::vector<Row> rows;
  add_facts(rows, "line that allocates",
            {{"line", line.place},
             {"process", process_name(view, line.pid)},
             {"live", bytes_words(line.live_bytes)},
             {"growth", growth_text(line.growth_bytes)},
             {"rate", rate_text(line.bytes_per_s)}},
            columns);
  add_holders_of(rows, view, line.pid, columns);
  return rows;
}

std::vector<Row> holder_rows(const View& view, const HolderLine& line, std::size_t columns) {
  std::vector<Row> rows;
  Facts facts{{"variable", line.name},
              {"process", process_name(view, line.pid)},
              {"holds", bytes_words(line.bytes)},
              {"growth", line.growth_bytes ? growth_text(*line.growth_bytes) + " since the first snapshot"
                                           : "known after the second snapshot"}};
  if (line.length) facts.push_back({"length", base::format_count(*line.length)});
  add_facts(rows, "variable", facts, columns);
  add_sites_of(rows, view, line.pid, columns);
  return rows;
}

template <typename Line, typename Rows>
std::vector<Row> rows_of(const View& view, const std::vector<Line>& lines, const std::string& id,
                         std::size_t columns, Rows rows) {
  const Line* line = find_line(lines, id);
  return line == nullptr
             ? std::vector<Row>{role_row(show::Role::Dim, "this line is not in the list any more")}
             : rows(view, *line, columns);
}

}  // namespace

std::vector<Row> detail_rows(const View& view, const Display& display, std::size_t columns) {
  const std::string& id = display.pane(display.focus).selected;
  switch (display.focus) {
    case Pane::Processes:
      return rows_of(view, view.processes, id, columns, process_rows);
    case Pane::Sites:
      return rows_of(view, view.sites, id, columns, site_rows);
    case Pane::Holders:
      return rows_of(view, view.holders, id, columns, holder_rows);
    case Pane::Output:
      break;
  }
  return {};
}

}  // namespace lowtide::screen

#include "screen/panes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include "base/units.h"
#include "show/terminal/layout.h"
#include "show/words.h"

namespace lowtide::screen {
namespace {

using show::bytes_words;

constexpr std::size_t kPidColumns = 7;
constexpr std::size_t kBytesColumns = 8;
constexpr std::size_t kGrowthColumns = 9;
constexpr std::size_t kRateColumns = 12;

struct Column {
  std::string_view name;
  std::size_t columns = 0;  // 0: the rest of the row
  bool is_text = false;     // aligned left; numbers are aligned right
};

std::string line_of(std::span<const Column> columns, const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t at = 0; at < columns.size(); ++at) {
    const std::size_t width = columns[at].columns;
    const std::string text = width == 0 ? cells[at] : show::cut(cells[at], width);
    line += columns[at].is_text ? show::pad_right(text, width) : show::pad_left(text, width);
    if (width > 0) line += ' ';
  }
  return line;
}

std::string heading_of(std::span<const Column> columns) {
  std::vector<std::string> names;
  for (const Column& column : columns) names.emplace_back(column.name);
  return line_of(columns, names);
}

double rank_of(const ProcessLine& line, Order order) {
  switch (order) {
    case Order::Growth:
      return static_cast<double>(line.growth_bytes);
    case Order::Memory:
      return static_cast<double>(line.bytes);
    case Order::Rate:
      return line.bytes_per_s.value_or(-std::numeric_limits<double>::infinity());
    case Order::Cpu:
      return line.cpu_share.value_or(-1);
    case Order::Pid:
      return -static_cast<double>(line.pid);
  }
  return 0;
}

double rank_of(const SiteLine& line, Order order) {
  if (order == Order::Memory) return static_cast<double>(line.live_bytes);
  if (order == Order::Rate) return line.bytes_per_s.value_or(-std::numeric_limits<double>::infinity());
  if (order == Order::Pid) return -static_cast<double>(line.pid);
  return static_cast<double>(line.growth_bytes);
}

// After one snapshot no growth is known yet, so the order is by size.
double rank_of(const HolderLine& line, Order order) {
  if (order == Order::Pid) return -static_cast<double>(line.pid);
  if (order == Order::Memory || !line.growth_bytes) return static_cast<double>(line.bytes);
  return static_cast<double>(*line.growth_bytes);
}

template <typename Line>
std::vector<Line> ordered(std::vector<Line> lines, Order order) {
  std::stable_sort(lines.begin(), lines.end(),
                   [order](const Line& a, const Line& b) { return rank_of(a, order) > rank_of(b, order); });
  return lines;
}

PaneText process_text(const View& view, Order order) {
  constexpr std::array<Column, 7> kColumns{{{"PID", kPidColumns},
                                            {"ROLE", 11, true},
                                            {"MEMORY", kBytesColumns},
                                            {"GROWTH", kGrowthColumns},
                                            {"RATE", kRateColumns},
                                            {"CPU", 5},
                                            {"PROCESS"}}};
  PaneText text{.heading = heading_of(kColumns), .if_empty = "no process was read yet"};
  for (const ProcessLine& line : ordered(view.processes, order)) {
    text.ids.push_back(id_of(line));
    text.lines.push_back(line_of(kColumns, {std::to_string(line.pid), line.role, bytes_words(line.bytes),
                                            growth_text(line.growth_bytes), rate_text(line.bytes_per_s),
                                            cpu_text(line.cpu_share), short_command(line.command)}));
  }
  return text;
}

PaneText site_text(const View& view, Order order) {
  constexpr std::array<Column, 5> kColumns{{{"PID", kPidColumns},
                                            {"LIVE", kBytesColumns},
                                            {"GROWTH", kGrowthColumns},
                                            {"RATE", kRateColumns},
                                            {"LINE THAT ALLOCATES"}}};
  PaneText text{.heading = heading_of(kColumns), .if_empty = view.site_note};
  for (const SiteLine& line : ordered(view.sites, order)) {
    text.ids.push_back(id_of(line));
    text.lines.push_back(
        line_of(kColumns, {std::to_string(line.pid), bytes_words(line.live_bytes),
                           growth_text(line.growth_bytes), rate_text(line.bytes_per_s), line.place}));
  }
  return text;
}

PaneText holder_text(const View& view, Order order) {
  constexpr std::array<Column, 5> kColumns{{{"PID", kPidColumns},
                                            {"HOLDS", kBytesColumns},
                                            {"GROWTH", kGrowthColumns},
                                            {"LENGTH", 9},
                                            {"VARIABLE"}}};
  PaneText text{.heading = heading_of(kColumns), .if_empty = view.holder_note};
  if (!view.holders.empty()) text.note = view.holder_note;
  for (const HolderLine& line : ordered(view.holders, order)) {
    text.ids.push_back(id_of(line));
    text.lines.push_back(line_of(kColumns, {std::to_string(line.pid), bytes_words(line.bytes),
                                            line.growth_bytes ? growth_text(*line.growth_bytes) : "?",
                                            line.length ? base::format_count(*line.length) : "", line.name}));
  }
  return text;
}

PaneText output_text(const View& view) {
  return {.heading = "OUTPUT",
          .note = "in " + view.output_path,
          .lines = view.output,
          .if_empty = "the job has written nothing yet"};
}

bool contains_ignoring_case(std::string_view text, std::string_view piece) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::search(text.begin(), text.end(), piece.begin(), piece.end(),
                     [&](char a, char b) { return lower(a) == lower(b); }) != text.end();
}

PaneText filtered(PaneText text, const std::string& filter) {
  if (filter.empty() || text.lines.empty()) return text;
  PaneText out{.heading = text.heading, .note = text.note, .if_empty = "no line contains '" + filter + "'"};
  for (std::size_t at = 0; at < text.lines.size(); ++at) {
    if (!contains_ignoring_case(text.lines[at], filter)) continue;
    out.lines.push_back(std::move(text.lines[at]));
    if (!text.ids.empty()) out.ids.push_back(std::move(text.ids[at]));
  }
  return out;
}

PaneText unfiltered_text(const View& view, const Display& display, Pane pane) {
  switch (pane) {
    case Pane::Processes:
      return process_text(view, display.order);
    case Pane::Sites:
      return site_text(view, display.order);
    case Pane::Holders:
      return holder_text(view, display.order);
    case Pane::Output:
      return output_text(view);
  }
  return {};
}

}  // namespace

std::string id_of(const ProcessLine& line) {
  return std::to_string(line.pid);
}

std::string id_of(const SiteLine& line) {
  return fmt::format("{} {}", line.pid, line.place);
}

std::string id_of(const HolderLine& line) {
  return fmt::format("{} {}", line.pid, line.name);
}

std::string growth_text(std::int64_t bytes) {
  return bytes == 0 ? "-" : show::signed_bytes(bytes);
}

std::string rate_text(const std::optional<double>& bytes_per_s) {
  constexpr double kLeastPerMinute = 1e3;
  if (!bytes_per_s) return "?";
  const double per_minute = *bytes_per_s * 60;
  if (per_minute > -kLeastPerMinute && per_minute < kLeastPerMinute) return "-";
  return (per_minute > 0 ? "+" : "") + base::format_bytes(per_minute) + "/min";
}

std::string cpu_text(const std::optional<double>& share) {
  return share ? fmt::format("{:.0f}%", *share * 100) : "?";
}

PaneText pane_text(const View& view, const Display& display, Pane pane) {
  return filtered(unfiltered_text(view, display, pane), display.filter);
}

std::vector<Pane> panes_of(const View& view) {
  std::vector<Pane> panes{Pane::Processes, Pane::Sites, Pane::Holders};
  if (!view.output_path.empty()) panes.push_back(Pane::Output);
  return panes;
}

std::vector<Row> pane_rows(const PaneText& text, Pane pane, Display& display, std::size_t rows) {
  PaneState& state = display.pane(pane);
  const std::size_t shown = std::min(rows - 1, text.lines.size());
  const std::size_t last = text.lines.size() - shown;
  // The newest lines of the output are the last ones, so the list follows its end.
  const bool was_at_end = pane == Pane::Output && state.scroll >= state.last_scroll;
  state.scroll = was_at_end ? last : std::min(state.scroll, last);
  state.last_scroll = last;
  state.page_rows = shown;
  state.ids = text.ids;

  std::string note = text.note;
  if (last > 0) {
    note += fmt::format("{}{}-{} of {}", note.empty() ? "" : ", ", state.scroll + 1, state.scroll + shown,
                        text.lines.size());
  }
  const bool is_active = display.focus == pane;
  Row heading = role_row(show::Role::Heading, (is_active ? ">" : " ") + text.heading);
  if (!note.empty()) heading.pieces.push_back({show::Role::Dim, "  " + note});
  std::vector<Row> out{std::move(heading)};
  const auto selected = is_active ? find_selected(state) : std::nullopt;
  for (std::size_t at = state.scroll; at < state.scroll + shown; ++at) {
    out.push_back(selected == at ? role_row(show::Role::Heading, ">" + text.lines[at])
                                 : plain_row(" " + text.lines[at]));
  }
  if (text.lines.empty() && rows > 1) out.push_back(role_row(show::Role::Dim, "  " + text.if_empty));
  out.resize(rows);
  return out;
}

}  // namespace lowtide::screen

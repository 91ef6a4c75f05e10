#include "screen/panes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>

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
  bool is_text = false;     // stands on the left; numbers stand on the right
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

std::string growth_words(std::int64_t bytes) {
  return bytes == 0 ? "-" : show::signed_bytes(bytes);
}

std::string rate_words(const std::optional<double>& bytes_per_s) {
  constexpr double kLeastPerMinute = 1e3;
  if (!bytes_per_s) return "?";
  const double per_minute = *bytes_per_s * 60;
  if (per_minute > -kLeastPerMinute && per_minute < kLeastPerMinute) return "-";
  return (per_minute > 0 ? "+" : "") + base::format_bytes(per_minute) + "/min";
}

std::string cpu_words(const std::optional<double>& share) {
  return share ? fmt::format("{:.0f}%", *share * 100) : "?";
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

// After one look nothing has grown yet: then by what is held.
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
  PaneText text{.heading = heading_of(kColumns), .if_empty = "no process was seen yet"};
  for (const ProcessLine& line : ordered(view.processes, order)) {
    text.lines.push_back(line_of(kColumns, {std::to_string(line.pid), line.role, bytes_words(line.bytes),
                                            growth_words(line.growth_bytes), rate_words(line.bytes_per_s),
                                            cpu_words(line.cpu_share), line.command}));
  }
  return text;
}

PaneText site_text(const View& view, Order order) {
  constexpr std::array<Column, 5> kColumns{{{"PID", kPidColumns},
                                            {"ALIVE", kBytesColumns},
                                            {"GROWTH", kGrowthColumns},
                                            {"RATE", kRateColumns},
                                            {"WHAT ALLOCATES"}}};
  PaneText text{.heading = heading_of(kColumns), .if_empty = view.site_note};
  for (const SiteLine& line : ordered(view.sites, order)) {
    text.lines.push_back(
        line_of(kColumns, {std::to_string(line.pid), bytes_words(line.live_bytes),
                           growth_words(line.growth_bytes), rate_words(line.bytes_per_s), line.place}));
  }
  return text;
}

PaneText holder_text(const View& view, Order order) {
  constexpr std::array<Column, 5> kColumns{{{"PID", kPidColumns},
                                            {"HOLDS", kBytesColumns},
                                            {"GROWTH", kGrowthColumns},
                                            {"LENGTH", 9},
                                            {"WHAT HOLDS"}}};
  PaneText text{.heading = heading_of(kColumns), .if_empty = view.holder_note};
  if (!view.holders.empty()) text.note = view.holder_note;
  for (const HolderLine& line : ordered(view.holders, order)) {
    text.lines.push_back(line_of(kColumns, {std::to_string(line.pid), bytes_words(line.bytes),
                                            line.growth_bytes ? growth_words(*line.growth_bytes) : "?",
                                            line.length ? base::format_count(*line.length) : "", line.name}));
  }
  return text;
}

PaneText output_text(const View& view) {
  return {.heading = "OUTPUT",
          .note = "all of it: " + view.output_path,
          .lines = view.output,
          .if_empty = "the job has said nothing yet"};
}

}  // namespace

PaneText pane_text(const View& view, const Display& display, Pane pane) {
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

std::vector<Pane> panes_of(const View& view) {
  std::vector<Pane> panes{Pane::Processes, Pane::Sites, Pane::Holders};
  if (!view.output_path.empty()) panes.push_back(Pane::Output);
  return panes;
}

std::vector<Row> pane_rows(const PaneText& text, Pane pane, Display& display, std::size_t rows) {
  const auto at = static_cast<std::size_t>(pane);
  const std::size_t shown = std::min(rows - 1, text.lines.size());
  const std::size_t last = text.lines.size() - shown;
  // The newest words of the job are the last ones: there one stays at the end.
  const bool was_at_end = pane == Pane::Output && display.scroll[at] >= display.last_scroll[at];
  display.scroll[at] = was_at_end ? last : std::min(display.scroll[at], last);
  display.last_scroll[at] = last;
  display.page_rows[at] = shown;

  std::string note = text.note;
  if (last > 0) {
    note += fmt::format("{}{}-{} of {}", note.empty() ? "" : ", ", display.scroll[at] + 1,
                        display.scroll[at] + shown, text.lines.size());
  }
  const bool has_keys = display.focus == pane;
  Row heading = role_row(show::Role::Heading, (has_keys ? ">" : " ") + text.heading);
  if (!note.empty()) heading.pieces.push_back({show::Role::Dim, "  " + note});
  std::vector<Row> out{std::move(heading)};
  for (std::size_t line = 0; line < shown; ++line) {
    out.push_back(plain_row(" " + text.lines[display.scroll[at] + line]));
  }
  if (text.lines.empty() && rows > 1) out.push_back(role_row(show::Role::Dim, "  " + text.if_empty));
  out.resize(rows);
  return out;
}

}  // namespace lowtide::screen

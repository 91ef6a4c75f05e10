#include "screen/head_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/units.h"
#include "show/forecast_words.h"
#include "show/terminal/layout.h"
#include "show/terminal/paint.h"
#include "show/terminal/plot.h"
#include "show/words.h"

namespace lowtide::screen {
namespace {

using model::VerdictKind;
using show::bytes_words;

// As the first line of the report.
std::string headline(const show::AnswerWords& answer) {
  std::string words = answer.label + "  " + answer.subject;
  for (const std::string& more : {answer.rate, answer.confidence}) {
    if (!more.empty()) words += "  " + more;
  }
  return words;
}

std::string reason(const model::Verdict& verdict) {
  if (verdict.reason.empty() && verdict.needs) return "needs " + model::needs_words(*verdict.needs);
  return verdict.reason + model::needs_suffix(verdict);
}

std::string memory_words(const View& view) {
  std::string words = fmt::format("memory {} in {} process{}", bytes_words(view.bytes), view.process_count,
                                  view.process_count == 1 ? "" : "es");
  const model::Verdict& verdict = view.series.verdict;
  // The verdict is older than the reading. After a spike its floor can be higher than the memory in use.
  if (verdict.samples > 0)
    words += fmt::format(", floor {}", bytes_words(std::min(verdict.floor.last_bytes, view.bytes)));
  if (view.series.peak_bytes > 0) words += fmt::format(", peak {}", bytes_words(view.series.peak_bytes));
  return words;
}

bool may_grow(VerdictKind kind) {
  return kind == VerdictKind::Leak || kind == VerdictKind::Inconclusive;
}

std::string forecast_words(const View& view) {
  if (may_grow(view.series.verdict.kind) && view.series.forecast)
    return show::forecast_words(*view.series.forecast, view.series, model::Ending::Running);
  if (!view.limit_bytes || *view.limit_bytes == 0) return "no memory limit is known";
  const double share = static_cast<double>(view.bytes) / static_cast<double>(*view.limit_bytes);
  return fmt::format("limit {}, {:.0f}% used; no forecast", base::format_limit(*view.limit_bytes),
                     share * 100);
}

// Wrapped, and cut after `most` lines.
std::vector<std::string> lines_of(const std::string& text, std::size_t columns, std::size_t most) {
  if (text.empty()) return {};
  std::vector<std::string> lines = show::wrap(text, columns);
  const bool is_cut = lines.size() > most;
  lines.resize(std::min(lines.size(), most));
  if (is_cut && most > 0) lines.back() = show::cut(lines.back() + " ...", columns);
  return lines;
}

}  // namespace

Row title_row(const View& view, const Display& display, std::size_t columns) {
  std::string right = base::format_seconds(view.at_s);
  if (std::isfinite(view.step)) right += ", " + show::place({.step = view.step, .at_s = std::nullopt});
  if (display.is_paused) right = "PAUSED  " + right;
  right = " " + right + " ";
  const std::size_t room = columns > show::display_width(right) ? columns - show::display_width(right) : 0;
  const std::string left =
      show::cut(fmt::format(" lowtide  {} ({})", short_command(view.job), view.pid), room);
  Row row = plain_row(show::pad_right(left, room) + right);
  row.is_bar = true;
  return row;
}

std::vector<Row> verdict_rows(const View& view, std::size_t columns, std::size_t most) {
  constexpr std::size_t kMostLines = 2;  // of the reason, and of the forecast
  const model::Verdict& verdict = view.series.verdict;
  std::vector<Row> rows;
  if (verdict.samples == 0) {
    rows.push_back(role_row(show::Role::Unsure, "waiting for the first readings"));
  } else {
    constexpr double kOldS = 5;
    const double ago_s = view.at_s - view.judged_s.value_or(view.at_s);
    const std::string age =
        ago_s > kOldS ? fmt::format(" (verdict {} old)", base::format_seconds(ago_s)) : std::string();
    rows.push_back(role_row(view.answer.role, headline(view.answer) + age));
  }
  // If there is no room for both, the forecast is more important than the reason.
  constexpr std::size_t kOtherLines = 2;  // the headline and the memory in use
  const std::size_t left = most > kOtherLines ? most - kOtherLines : 1;
  std::vector<std::string> forecast = lines_of(forecast_words(view), columns, std::min(left, kMostLines));
  for (std::string& line : lines_of(reason(verdict), columns, std::min(left - forecast.size(), kMostLines)))
    rows.push_back(role_row(show::Role::Dim, std::move(line)));
  for (std::string& line : forecast) rows.push_back(plain_row(std::move(line)));
  rows.push_back(plain_row(memory_words(view)));
  if (rows.size() > most) rows.resize(most);
  return rows;
}

std::vector<Row> plot_rows(const View& view, std::size_t columns, std::size_t rows, bool unicode) {
  constexpr std::size_t kAxisRows = 2;
  constexpr std::size_t kLeastHeight = 3;
  constexpr std::size_t kHeightForKey = 10;
  if (rows < kLeastHeight + kAxisRows) return {};
  show::PlotOptions options;
  options.width = columns;
  options.height = rows - kAxisRows;
  if (options.height >= kHeightForKey) --options.height;  // for the row that explains the dots
  options.unicode = unicode;
  options.axis = view.series.verdict.axis;
  options.warmup_end = view.series.verdict.warmup_end;
  options.limit_bytes = view.limit_bytes;
  std::vector<Row> out;
  for (show::Line& line : show::plot(view.series.outline, options)) {
    if (out.size() < rows) out.push_back({.pieces = std::move(line)});
  }
  if (out.empty()) out.push_back(role_row(show::Role::Dim, "the plot starts with the second reading"));
  out.resize(rows);
  return out;
}

}  // namespace lowtide::screen

#include "watch/status_line.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "console/terminal.h"
#include "show/terminal/layout.h"

namespace lowtide::watch {
namespace {

constexpr double kRedrawS = 1.0;
constexpr double kFirstLineS = 60;
constexpr double kOldS = 5;  // the age of an older verdict is shown
constexpr std::string_view kGap = "  ";

std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

// "0:47", "1:02:03".
std::string clock_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::max(0.0, seconds));
  const std::uint64_t hours = whole / 3600;
  const std::uint64_t minutes = whole / 60 % 60;
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60)
                   : fmt::format("{}:{:02}", minutes, whole % 60);
}

std::optional<std::string> forecast_text(const model::Judgement& judgement) {
  const auto& forecast = judgement.forecast;
  if (!model::may_leak(judgement.verdict) || !forecast || !forecast->seconds) return std::nullopt;
  const double left_s = std::max(0.0, forecast->seconds->estimate - judgement.at_s);
  if (forecast->limit == model::LimitKind::Tmpfs)
    return fmt::format("{} full in {}", base::printable(forecast->path, 40), base::format_seconds(left_s));
  return fmt::format("limit {} in {}", base::format_limit(forecast->limit_bytes),
                     base::format_seconds(left_s));
}

std::optional<std::string> age_text(const model::Judgement& judgement, const model::Tick& tick) {
  const double age_s = tick.at_s - judgement.at_s;
  if (age_s <= kOldS) return std::nullopt;
  return fmt::format("verdict {} old", base::format_seconds(age_s));
}

std::string text_of(const show::Line& line) {
  std::string text;
  for (const show::Piece& piece : line) text += piece.text;
  return text;
}

// Cuts the text as a whole, so that the mark is there even if the cut is between two pieces.
show::Line cut_line(show::Line line, std::size_t columns) {
  std::string rest = show::cut(text_of(line), columns);
  for (show::Piece& piece : line) {
    piece.text = rest.substr(0, piece.text.size());
    rest.erase(0, piece.text.size());
  }
  return line;
}

}  // namespace

show::Line status_line(const model::Judgement& judgement, const show::AnswerWords& answer,
                       const model::Tick& tick, std::size_t columns) {
  std::string memory = std::string(kGap) + base::format_bytes(static_cast<double>(tick.target.bytes));
  if (!answer.rate.empty()) memory += ", " + answer.rate;
  if (model::may_leak(judgement.verdict) && !answer.cause.empty()) memory += std::string(kGap) + answer.cause;
  show::Line line{{show::Role::Plain, "lowtide " + clock_text(tick.at_s)},
                  {answer.role, std::string(kGap) + answer.verdict},
                  {show::Role::Plain, std::move(memory)}};
  const auto has_room = [&](std::size_t more) {
    return show::display_width(text_of(line)) + more <= columns;
  };
  if (std::isfinite(tick.step)) {
    const std::string step = fmt::format(" step {:.0f}", tick.step);
    if (has_room(step.size())) line.front().text += step;
  }
  for (const auto& extra : {forecast_text(judgement), age_text(judgement, tick)}) {
    if (extra && has_room(kGap.size() + extra->size()))
      line.push_back({show::Role::Dim, std::string(kGap) + *extra});
  }
  return cut_line(std::move(line), columns);
}

StatusLine::StatusLine(bool wanted)
    : on_(wanted && ::isatty(STDERR_FILENO) == 1),
      shared_(::isatty(STDOUT_FILENO) == 1),
      next_s_(shared_ ? kFirstLineS : 2) {}

void StatusLine::show(double at_s, const model::Judgement& judgement,
                      const lowtide::show::AnswerWords& answer, const model::Tick& tick) {
  if (!on_ || judgement.verdict.samples == 0) return;
  const bool changed = judgement.verdict.kind != last_kind_;
  if (!changed && at_s < next_s_) return;
  last_kind_ = judgement.verdict.kind;
  const console::Terminal terminal = console::find_terminal("auto", std::nullopt, STDERR_FILENO);
  // A line of the full width would wrap on some terminals.
  std::string text =
      lowtide::show::Paint(terminal.colour)(status_line(judgement, answer, tick, terminal_width() - 1));
  if (shared_) {
    next_s_ = std::max(2 * at_s, kFirstLineS);
    text += '\n';
  } else {
    next_s_ = at_s + kRedrawS;
    text = "\r\x1b[K" + text;
    drawn_ = true;
  }
  std::fputs(text.c_str(), stderr);
}

void StatusLine::clear() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
  drawn_ = false;
}

}  // namespace lowtide::watch

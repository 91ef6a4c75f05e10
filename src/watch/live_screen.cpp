#include "watch/live_screen.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "procfs/process_files.h"
#include "screen/layout.h"

namespace lowtide::watch {
namespace {

// A person does not read faster.
constexpr double kViewEveryS = 0.5;
// Most of thousands of processes are not visible, so their CPU time is not read.
constexpr std::size_t kMostWithCpu = 256;
constexpr std::size_t kMostOutputLines = 200;

std::optional<double> cpu_seconds_of(const model::ProcessInfo& info) {
  static const auto kTicksPerSecond = static_cast<double>(::sysconf(_SC_CLK_TCK));
  const auto stat = procfs::read_stat({}, static_cast<std::int32_t>(info.pid));
  if (!stat || stat.value().start_ticks != info.start_ticks) return std::nullopt;
  return static_cast<double>(stat.value().utime_ticks + stat.value().stime_ticks) / kTicksPerSecond;
}

// The ends of the axis. The sentences about the growth depend on them.
void set_extent(model::SeriesReport& series) {
  if (series.outline.empty()) return;
  const model::Stretch& first = series.outline.front();
  const model::Stretch& last = series.outline.back();
  series.first_s = first.at_s;
  if (std::isfinite(first.step)) series.first_step = first.step;
  if (std::isfinite(last.step)) series.last_step = last.step;
}

std::string site_note(const Watch& watch) {
  return watch.monitor().agents() == nullptr ? "the job has no agent, so no line is known (use attach --deep)"
                                             : "no allocation was sampled yet";
}

std::string holder_note(const Watch& watch, const screen::HolderLines& holders) {
  if (watch.monitor().agents() == nullptr)
    return "the job has no agent, so no snapshot is taken (use attach --deep)";
  if (!holders.latest_s()) return "no snapshot was taken yet; n takes one";
  return fmt::format("snapshot {}, {} ago", holders.snapshots(),
                     base::format_seconds(std::max(0.0, watch.at_s() - *holders.latest_s())));
}

}  // namespace

std::optional<console::UserError> LiveScreen::find_trouble() {
  const auto trouble = screen::Terminal::find_trouble();
  if (!trouble) return std::nullopt;
  const bool is_missing = trouble->code == base::ErrorCode::Gone;
  return console::UserError{fmt::format("cannot open the screen: {}", trouble->message),
                            is_missing ? "--screen needs the terminal that lowtide was started from"
                                       : "--screen needs ncurses and a terminal that ncurses knows",
                            is_missing ? "run it without --screen; over ssh, use ssh -t"
                                       : "run it without --screen, or with TERM=xterm"};
}

LiveScreen::LiveScreen(Options options) : options_(std::move(options)) {
  auto terminal = screen::Terminal::open();
  if (!terminal) return;
  terminal_.emplace(std::move(terminal).value());
  view_.job = base::printable(options_.job, 300);
  view_.pid = options_.pid;
  view_.recording = base::printable(options_.recording, 1000);
  if (options_.output != nullptr) view_.output_path = base::printable(options_.output->path(), 1000);
  draw();
}

void LiveScreen::take_tick(const Watch& watch) {
  if (!is_open() || watch.latest() == nullptr) return;
  take_news(watch);
  if (display_.is_paused || watch.at_s() < next_view_s_) return;
  next_view_s_ = watch.at_s() + kViewEveryS;
  make_view(watch);
  draw();
}

void LiveScreen::take_news(const Watch& watch) {
  const model::Tick& tick = *watch.latest();
  peak_bytes_ = std::max(peak_bytes_, tick.target.bytes);
  processes_.add(tick);
  if (const observe::AgentRegistry* agents = watch.monitor().agents()) {
    for (const model::SiteInfo& site : agents->begun()) sites_.begin(site);
  }
  sites_.add(tick);
  for (const model::Snapshot& snapshot : watch.snapshots()) holders_.add(snapshot);
}

void LiveScreen::make_view(const Watch& watch) {
  const model::Tick& tick = *watch.latest();
  view_.at_s = tick.at_s;
  view_.step = tick.step;
  view_.bytes = tick.target.bytes;
  view_.process_count = tick.target.processes;
  view_.answer = watch.answer();
  view_.series.verdict = watch.judgement().verdict;
  view_.series.forecast = watch.judgement().forecast;
  view_.series.last_s = watch.judgement().at_s;
  view_.judged_s = watch.judgement().at_s;
  view_.series.peak_bytes = peak_bytes_;
  view_.series.outline = watch.outline();
  set_extent(view_.series);
  view_.limit_bytes.reset();
  if (const auto& limit = watch.monitor().limit()) view_.limit_bytes = limit->limit_bytes;
  make_tables(watch);
  if (options_.output != nullptr) view_.output = options_.output->last_lines(kMostOutputLines);
}

void LiveScreen::make_tables(const Watch& watch) {
  std::vector<screen::ProcessNow> now;
  std::map<model::ProcessId, std::int64_t> pids;
  for (const observe::Member& member : watch.monitor().tree().members()) {
    now.push_back({.info = &member.info,
                   .cpu_s = now.size() < kMostWithCpu ? cpu_seconds_of(member.info) : std::nullopt});
    pids.emplace(member.info.id, member.info.pid);
  }
  view_.processes = processes_.lines(now, watch.at_s());
  view_.sites = sites_.lines(pids, watch.at_s());
  view_.holders = holders_.lines();
  view_.site_note = site_note(watch);
  view_.holder_note = holder_note(watch, holders_);
}

screen::ScreenAction LiveScreen::take_keys() {
  while (const auto press = terminal_->next_key(display_.edits_filter)) {
    const screen::ScreenAction wish = screen::handle_key(display_, *press, !view_.output_path.empty());
    if (!display_.is_paused) next_view_s_ = 0;
    if (wish == screen::ScreenAction::Redraw) terminal_->redraw_all();
    if (wish == screen::ScreenAction::Quit || wish == screen::ScreenAction::Snapshot) return wish;
    draw();
  }
  return screen::ScreenAction::None;
}

void LiveScreen::take_new_size() {
  terminal_->take_new_size();
  draw();
}

void LiveScreen::show_notice(std::string notice) {
  display_.notice = std::move(notice);
  draw();
}

void LiveScreen::leave() {
  close();
  if (!options_.is_child) return;
  std::string text = "lowtide: the screen is closed, the job keeps running; Ctrl-C interrupts it\n";
  if (!view_.output_path.empty()) text += fmt::format("output: {}\n", view_.output_path);
  std::fputs(text.c_str(), stderr);
}

void LiveScreen::draw() {
  terminal_->draw(screen::lay_out(
      view_, display_,
      {.size = terminal_->size(), .unicode = terminal_->unicode(), .is_child = options_.is_child}));
}

}  // namespace lowtide::watch

// The only file that uses ncurses.
//
// lowtide handles SIGINT, SIGTERM and SIGWINCH itself: they are blocked and read from a file, so the handlers
// of ncurses for them never run. Its handler for SIGTSTP does: it restores the terminal while lowtide is
// stopped, and draws again afterwards. All handlers are removed at the end, otherwise a later stop would
// bring the screen back.

// NOLINTNEXTLINE(readability-identifier-naming): ncurses wants it by that name
#define NCURSES_NOMACROS 1  // no `move`, `clear` and `timeout` of theirs
#include <fcntl.h>
#include <fmt/format.h>
#include <langinfo.h>
#include <ncurses.h>
#include <sys/ioctl.h>
#include <termcap.h>  // not term.h, which makes macros of words like `columns`
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <clocale>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "base/fd.h"
#include "screen/terminal.h"
#include "screen/terminal_rescue.h"

namespace lowtide::screen {
namespace {

constexpr const char* kTerminalPath = "/dev/tty";
constexpr std::array kSignalsOfNcurses{SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
// Long enough for the rest of an arrow key over a slow line, short enough for Esc.
constexpr int kEscapeDelayMs = 100;

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

// ncurses counts columns by the locale. A locale that is set but not installed, as in many containers, still
// shows what the terminal supports.
bool take_locale() {
  if (std::setlocale(LC_CTYPE, "") == nullptr) {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
      if (environment(name).find("UTF-8") != std::string_view::npos ||
          environment(name).find("utf8") != std::string_view::npos) {
        std::setlocale(LC_CTYPE, "C.UTF-8");
        break;
      }
    }
  }
  // The fonts of the kernel's console have no braille.
  return std::string_view(::nl_langinfo(CODESET)) == "UTF-8" && environment("TERM") != "linux";
}

const char* capability(const char* name) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): the parameter is not const in every version
  const char* text = ::tigetstr(const_cast<char*>(name));
  // -1 also means that there is none.
  return reinterpret_cast<std::intptr_t>(text) == -1 ? nullptr : text;
}

// What ncurses would send at the end, without the padding for old terminals, "$<5>".
std::string restoring_sequence() {
  std::string out;
  for (const char* name : {"sgr0", "op", "rmkx", "cnorm", "rmcup"}) {
    std::string_view text = capability(name) == nullptr ? std::string_view() : capability(name);
    while (!text.empty()) {
      const std::size_t pause = std::min(text.find("$<"), text.size());
      out += text.substr(0, pause);
      text.remove_prefix(pause);
      if (!text.empty()) text.remove_prefix(std::min(text.find('>'), text.size() - 1) + 1);
    }
  }
  if (capability("kmous") != nullptr) out += "\x1b[?1006;1000l";  // no reports of the mouse
  return out;
}

enum Pair : short { Red = 1, Green, Yellow, Cyan, Blue };

void make_pairs() {
  ::start_color();
  const short ground = ::use_default_colors() == OK ? short{-1} : short{COLOR_BLACK};
  ::init_pair(Pair::Red, COLOR_RED, ground);
  ::init_pair(Pair::Green, COLOR_GREEN, ground);
  ::init_pair(Pair::Yellow, COLOR_YELLOW, ground);
  ::init_pair(Pair::Cyan, COLOR_CYAN, ground);
  ::init_pair(Pair::Blue, COLOR_BLUE, ground);
}

struct Look {
  attr_t attributes = A_NORMAL;
  short pair = 0;
};

Look coloured_look(show::Role role) {
  switch (role) {
    case show::Role::Plain:
      return {};
    case show::Role::Heading:
      return {A_BOLD, 0};
    case show::Role::Dim:
      return {A_DIM, 0};
    case show::Role::NoLeak:
      return {A_BOLD, Pair::Green};
    case show::Role::Leak:
      return {A_BOLD, Pair::Red};
    case show::Role::Unsure:
      return {A_BOLD, Pair::Yellow};
    case show::Role::Series:
      return {A_NORMAL, Pair::Cyan};
    case show::Role::Floor:
      return {A_NORMAL, Pair::Blue};
    case show::Role::Mark:
      return {A_NORMAL, Pair::Yellow};
    case show::Role::Limit:
      return {A_NORMAL, Pair::Red};
  }
  return {};
}

Look plain_look(show::Role role) {
  switch (role) {
    case show::Role::Leak:
      return {A_BOLD | A_REVERSE, 0};
    case show::Role::Heading:
    case show::Role::NoLeak:
    case show::Role::Unsure:
    case show::Role::Limit:
      return {A_BOLD, 0};
    case show::Role::Dim:
    case show::Role::Floor:
      return {A_DIM, 0};
    case show::Role::Plain:
    case show::Role::Series:
    case show::Role::Mark:
      break;
  }
  return {};
}

std::optional<Key> key_of(int code) {
  switch (code) {
    case 'q':
    case 'Q':
      return Key::Quit;
    case 's':
      return Key::Sort;
    case 'p':
    case ' ':
      return Key::Pause;
    case 'h':
    case '?':
    case KEY_F(1):
      return Key::Help;
    case 'n':
      return Key::Snapshot;
    case '\t':
      return Key::NextPane;
    case KEY_UP:
    case 'k':
      return Key::Up;
    case KEY_DOWN:
    case 'j':
      return Key::Down;
    case KEY_PPAGE:
      return Key::PageUp;
    case KEY_NPAGE:
      return Key::PageDown;
    case KEY_HOME:
    case 'g':
      return Key::First;
    case KEY_END:
    case 'G':
      return Key::Last;
    case '/':
      return Key::Filter;
    default:
      return std::nullopt;
  }
}

// Keys that mean the same while text is typed.
std::optional<Key> editing_key_of(int code) {
  switch (code) {
    case '\f':
      return Key::Redraw;
    case '\x1b':
      return Key::Close;
    case '\n':
    case '\r':
    case KEY_ENTER:
      return Key::Open;
    case KEY_BACKSPACE:
    case '\b':
    case '\x7f':
      return Key::Erase;
    default:
      return std::nullopt;
  }
}

std::optional<KeyPress> mouse_press() {
  MEVENT event{};
  if (::getmouse(&event) != OK || event.y < 0) return std::nullopt;
  const auto row = static_cast<std::size_t>(event.y);
  if ((event.bstate & BUTTON1_PRESSED) != 0) return KeyPress{.key = Key::Click, .row = row};
  if ((event.bstate & BUTTON4_PRESSED) != 0) return KeyPress{.key = Key::WheelUp, .row = row};
  if ((event.bstate & BUTTON5_PRESSED) != 0) return KeyPress{.key = Key::WheelDown, .row = row};
  return std::nullopt;
}

std::optional<KeyPress> press_of(int code, bool is_typing) {
  if (code == KEY_MOUSE) return mouse_press();
  if (const auto key = editing_key_of(code)) return KeyPress{.key = *key};
  if (is_typing && code >= ' ' && code <= '~') {
    return KeyPress{.key = Key::Character, .character = static_cast<char>(code)};
  }
  const auto key = is_typing ? std::nullopt : key_of(code);
  return key ? std::optional(KeyPress{.key = *key}) : std::nullopt;
}

}  // namespace

struct Curses {
  std::FILE* out = nullptr;
  std::FILE* in = nullptr;
  SCREEN* screen = nullptr;
  bool unicode = false;
  bool colour = false;
  std::array<struct sigaction, kSignalsOfNcurses.size()> signals_before{};

  Curses() = default;
  Curses(const Curses&) = delete;
  Curses& operator=(const Curses&) = delete;
  Curses(Curses&&) = delete;
  Curses& operator=(Curses&&) = delete;
  ~Curses() {
    if (screen != nullptr) {
      ::endwin();
      for (std::size_t at = 0; at < kSignalsOfNcurses.size(); ++at)
        ::sigaction(kSignalsOfNcurses[at], &signals_before[at], nullptr);
      end_rescue();
      ::delscreen(screen);
      std::setlocale(LC_CTYPE, "C");
    }
    if (out != nullptr) std::fclose(out);
    if (in != nullptr) std::fclose(in);
  }
};

std::optional<base::Error> Terminal::find_trouble() {
  const base::Fd terminal(::open(kTerminalPath, O_RDWR | O_CLOEXEC | O_NOCTTY));
  if (!terminal.valid()) return base::Error{base::ErrorCode::Gone, "there is no terminal"};
  if (::tcgetpgrp(terminal.get()) != ::getpgrp())
    return base::Error{base::ErrorCode::Gone, "lowtide runs in the background of the terminal"};
  const std::string kind(environment("TERM"));
  const bool can_move = ::tgetent(nullptr, kind.c_str()) == 1 && capability("cup") != nullptr;
  if (can_move) return std::nullopt;
  return base::Error{base::ErrorCode::Unsupported,
                     fmt::format("the terminal type '{}' is unknown or cannot move the cursor", kind)};
}

base::Result<Terminal> Terminal::open() {
  if (auto trouble = find_trouble()) return std::move(*trouble);
  auto curses = std::make_unique<Curses>();
  curses->out = std::fopen(kTerminalPath, "we");
  curses->in = std::fopen(kTerminalPath, "re");
  termios mode{};
  if (curses->out == nullptr || curses->in == nullptr || ::tcgetattr(::fileno(curses->in), &mode) != 0)
    return base::Error{base::ErrorCode::Io, "the terminal cannot be opened"};
  curses->unicode = take_locale();
  for (std::size_t at = 0; at < kSignalsOfNcurses.size(); ++at)
    ::sigaction(kSignalsOfNcurses[at], nullptr, &curses->signals_before[at]);
  curses->screen = ::newterm(nullptr, curses->out, curses->in);
  if (curses->screen == nullptr)
    return base::Error{base::ErrorCode::Unsupported, "ncurses cannot use this terminal"};
  begin_rescue(::fileno(curses->out), mode, restoring_sequence());
  curses->colour = environment("NO_COLOR").empty() && ::has_colors();
  if (curses->colour) make_pairs();
  ::cbreak();  // keys arrive at once; Ctrl-C and Ctrl-Z still send signals, also to the job
  ::noecho();
  ::nonl();
  ::set_escdelay(kEscapeDelayMs);
  ::keypad(stdscr, true);
  ::nodelay(stdscr, true);
  ::curs_set(0);
  ::mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, nullptr);
  ::mouseinterval(0);  // a press is reported at once, without waiting for a double click
  return Terminal(std::move(curses));
}

Terminal::Terminal(std::unique_ptr<Curses> curses) : curses_(std::move(curses)) {}
Terminal::Terminal(Terminal&& other) noexcept = default;
Terminal& Terminal::operator=(Terminal&& other) noexcept = default;
Terminal::~Terminal() = default;

void Terminal::close() {
  curses_.reset();
}

int Terminal::fd() const {
  return ::fileno(curses_->in);
}

bool Terminal::unicode() const {
  return curses_->unicode;
}

Size Terminal::size() const {
  return {static_cast<std::size_t>(std::max(getmaxx(stdscr), 1)),
          static_cast<std::size_t>(std::max(getmaxy(stdscr), 1))};
}

void Terminal::draw(const std::vector<Row>& rows) {
  ::werase(stdscr);
  for (std::size_t y = 0; y < rows.size(); ++y) {
    ::wmove(stdscr, static_cast<int>(y), 0);
    for (const show::Piece& piece : rows[y].pieces) {
      Look look = curses_->colour ? coloured_look(piece.role) : plain_look(piece.role);
      if (rows[y].is_bar) look.attributes |= A_REVERSE;
      ::wattr_set(stdscr, look.attributes, look.pair, nullptr);
      ::waddnstr(stdscr, piece.text.data(), static_cast<int>(piece.text.size()));
    }
  }
  ::wattr_set(stdscr, A_NORMAL, 0, nullptr);
  ::wrefresh(stdscr);
}

void Terminal::redraw_all() {
  ::clearok(stdscr, true);
}

void Terminal::take_new_size() {
  winsize size{};
  if (::ioctl(fd(), TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return;
  ::resizeterm(size.ws_row, size.ws_col);
}

std::optional<KeyPress> Terminal::next_key(bool is_typing) {
  for (int code = ::wgetch(stdscr); code != ERR; code = ::wgetch(stdscr)) {
    if (const auto press = press_of(code, is_typing)) return press;
  }
  return std::nullopt;
}

}  // namespace lowtide::screen

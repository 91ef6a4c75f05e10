#include "screen/terminal_rescue.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstring>

#include "base/check.h"

namespace lowtide::screen {
namespace {

constexpr std::array kFatal{SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};

// Used by a signal handler: it is filled before the handler is installed, and nothing in it is allocated.
struct Rescue {
  int fd = -1;
  termios mode{};
  std::array<char, 256> sequence{};
  std::size_t length = 0;
};

Rescue& rescue() {
  static Rescue state;
  return state;
}

// Only calls that are safe in a signal handler.
void give_back() {
  const Rescue& state = rescue();
  if (state.fd < 0) return;
  [[maybe_unused]] const ssize_t wrote = ::write(state.fd, state.sequence.data(), state.length);
  ::tcsetattr(state.fd, TCSANOW, &state.mode);
}

void on_crash(int signal) {
  give_back();
  // The default action applies again (SA_RESETHAND), so the signal kills lowtide.
  ::raise(signal);
}

}  // namespace

void begin_rescue(int fd, const termios& mode, std::string_view sequence) {
  Rescue& state = rescue();
  state.mode = mode;
  state.length = sequence.size() <= state.sequence.size() ? sequence.size() : 0;
  std::copy_n(sequence.data(), state.length, state.sequence.data());
  state.fd = fd;
  base::set_last_act(give_back);
  struct sigaction action {};
  action.sa_handler = on_crash;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  for (const int signal : kFatal) ::sigaction(signal, &action, nullptr);
}

void end_rescue() {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  for (const int signal : kFatal) ::sigaction(signal, &action, nullptr);
  base::set_last_act(nullptr);
  rescue().fd = -1;
}

}  // namespace lowtide::screen

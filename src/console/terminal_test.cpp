#include "console/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include "base/fd.h"

namespace lowtide::console {
namespace {

// The two ends of a pseudo-terminal of 57 columns.
struct Window {
  base::Fd master{::posix_openpt(O_RDWR | O_NOCTTY)};
  base::Fd terminal;

  Window() {
    ::grantpt(master.get());
    ::unlockpt(master.get());
    terminal = base::Fd(::open(::ptsname(master.get()), O_RDWR | O_NOCTTY));
    winsize size{};
    size.ws_col = 57;
    size.ws_row = 20;
    ::ioctl(terminal.get(), TIOCSWINSZ, &size);
  }
};

TEST(Terminal, width_and_colour_are_those_of_the_stream_that_is_written_to) {
  const Window window;
  if (!window.terminal.valid()) GTEST_SKIP() << "no pseudo-terminal can be opened";
  ::unsetenv("NO_COLOR");
  ::setenv("TERM", "xterm", 1);
  const base::Fd file(::open("/dev/null", O_WRONLY));

  EXPECT_EQ(find_terminal("auto", std::nullopt, window.terminal.get()).width, 57U);
  EXPECT_TRUE(find_terminal("auto", std::nullopt, window.terminal.get()).colour);
  EXPECT_FALSE(find_terminal("auto", std::nullopt, file.get()).colour);
  EXPECT_TRUE(find_terminal("always", std::nullopt, file.get()).colour);
}

TEST(Terminal, colour_is_off_where_it_is_not_wanted) {
  const Window window;
  if (!window.terminal.valid()) GTEST_SKIP() << "no pseudo-terminal can be opened";
  ::setenv("TERM", "xterm", 1);
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(find_terminal("auto", std::nullopt, window.terminal.get()).colour);
  ::unsetenv("NO_COLOR");
  EXPECT_FALSE(find_terminal("never", std::nullopt, window.terminal.get()).colour);
  ::setenv("TERM", "dumb", 1);
  EXPECT_FALSE(find_terminal("auto", std::nullopt, window.terminal.get()).colour);
}

}  // namespace
}  // namespace lowtide::console

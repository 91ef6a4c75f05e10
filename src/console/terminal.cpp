#include "console/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace lowtide::console {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

// The first variable that is set decides, as in setlocale(3).
bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = environment(name);
    if (value.empty()) continue;
    std::string lower(value);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return lower.find("utf-8") != std::string::npos || lower.find("utf8") != std::string::npos;
  }
  return false;
}

std::size_t found_width(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const std::string columns(environment("COLUMNS"));
  const unsigned long value = std::strtoul(columns.c_str(), nullptr, 10);
  return value > 0 ? value : 80;
}

}  // namespace

Terminal find_terminal(const std::string& colour, std::optional<std::size_t> width, int fd) {
  constexpr std::size_t kNarrowest = 40;
  constexpr std::size_t kWidest = 1000;
  Terminal terminal;
  terminal.width = std::clamp(width ? *width : found_width(fd), kNarrowest, kWidest);
  terminal.unicode = locale_is_utf8();
  const bool able = ::isatty(fd) == 1 && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
  terminal.colour = colour == "always" || (colour != "never" && able);
  return terminal;
}

}  // namespace lowtide::console

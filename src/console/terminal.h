#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace lowtide::console {

// What standard output can show, from the terminal and the environment.
struct Terminal {
  std::size_t width = 80;
  bool colour = false;
  bool unicode = false;
};

// `colour` is auto, always or never. NO_COLOR and TERM=dumb are honoured;
// Unicode is drawn where the locale says UTF-8.
Terminal find_terminal(const std::string& colour, std::optional<std::size_t> width);

}  // namespace lowtide::console

#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace lowtide::console {

// What an output stream can show, from its terminal and the environment.
struct Terminal {
  std::size_t width = 80;
  bool colour = false;
  bool unicode = false;
};

// `colour` is auto, always or never. `fd` is the stream that is written to. NO_COLOR and TERM=dumb turn
// colour off. Unicode is used if the locale is UTF-8.
Terminal find_terminal(const std::string& colour, std::optional<std::size_t> width, int fd = 1);

}  // namespace lowtide::console

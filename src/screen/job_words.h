// The job's output as lines that can be shown. It is written for a terminal, and may contain hostile
// sequences.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::screen {

// The last `most` lines of `bytes`, oldest first. Escape sequences are removed, of a progress bar that
// overwrites itself only the last state is kept, and everything is printable.
std::vector<std::string> last_lines(std::string_view bytes, std::size_t most);

}  // namespace lowtide::screen

// The job's output as lines that can be shown: it is written for a terminal, and may be hostile to ours.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::screen {

// The last `most` lines of `bytes`, oldest first. Escape sequences are left out, a progress bar that draws
// over itself is its last state, and everything is printable.
std::vector<std::string> last_lines(std::string_view bytes, std::size_t most);

}  // namespace lowtide::screen

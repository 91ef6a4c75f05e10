#pragma once

#include <string>
#include <vector>

namespace lowtide::show {

// A section that holds one table; nothing where it has no rows. The cells are text from outside.
std::string markdown_section(const std::string& title, const std::vector<std::string>& head,
                             const std::vector<std::vector<std::string>>& rows);

}  // namespace lowtide::show

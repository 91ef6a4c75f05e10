// Text of HTTP headers: names and media types have no case, and blanks around values do not count.
#pragma once

#include <string_view>

namespace lowtide::serve {

bool equals_ignoring_case(std::string_view a, std::string_view b);
std::string_view trimmed(std::string_view text);

}  // namespace lowtide::serve

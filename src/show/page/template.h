#pragma once

#include <string_view>

namespace lowtide::show {

// The page without its contents, scripts and styles inlined: made of web/ while lowtide is built. Empty where
// that could not be done.
std::string_view page_template();

}  // namespace lowtide::show

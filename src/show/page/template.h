#pragma once

#include <string_view>

namespace lowtide::show {

// The page without its contents, with scripts and styles inlined, built from web/ with lowtide. Empty if that
// was not possible.
std::string_view page_template();

}  // namespace lowtide::show

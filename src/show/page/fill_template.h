// Puts title, summary and data into the page.
#pragma once

#include <string>
#include <string_view>

#include "show/page/data.h"

namespace lowtide::show {

// `title` and `summary` are HTML, escaped already.
std::string fill_template(std::string_view page, std::string_view title, std::string_view summary,
                          const PageContents& contents);

}  // namespace lowtide::show

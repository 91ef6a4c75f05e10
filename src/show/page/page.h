// A report as one HTML file: opens from disk, asks no network for anything.
#pragma once

#include <string>
#include <string_view>

#include "show/page/data.h"

namespace lowtide::show {

// The template has three places, comments of the form <!--lowtide:NAME-->: title, summary and data.
std::string to_page(std::string_view page, const PageContents& contents);

}  // namespace lowtide::show

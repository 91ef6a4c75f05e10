// A report as one HTML file that opens from disk and needs no network.
#pragma once

#include <string>
#include <string_view>

#include "model/comparison.h"
#include "show/page/data.h"

namespace lowtide::show {

// The template has four marks, comments of the form <!--lowtide:NAME-->: connect, title, summary and data.
std::string to_page(std::string_view page, const PageContents& contents);

// A comparison of two runs, with a differential flame graph of their stacks.
std::string to_page(std::string_view page, const model::Comparison& comparison, const model::Profile& before,
                    const model::Profile& after);

}  // namespace lowtide::show

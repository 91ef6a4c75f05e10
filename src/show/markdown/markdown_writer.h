#pragma once

#include <string>

#include "show/document/document.h"

namespace lowtide::show {

// The document as a colleague would write it down for others.
std::string write_markdown(const Document& document);

}  // namespace lowtide::show

#pragma once

#include <string>

#include "show/document/document.h"
#include "show/terminal/text.h"

namespace lowtide::show {

// The document for a person at a terminal. Nothing in it reaches the terminal as anything but text.
std::string write_text(const Document& document, const TextOptions& options);

}  // namespace lowtide::show

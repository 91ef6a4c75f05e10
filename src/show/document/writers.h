// The formats that any document can be written in.
#pragma once

#include <string>

#include "show/document/document.h"
#include "show/terminal/text.h"

namespace lowtide::show {

// For a person at a terminal. Nothing in it reaches the terminal as anything but text.
std::string write_text(const Document& document, const TextOptions& options);

// As a colleague would write it down for others.
std::string write_markdown(const Document& document);

// HTML that needs no script: what a section says, and the same with its heading, or empty where it says
// nothing.
std::string page_blocks(const Section& section);
std::string page_section(const Section& section);

}  // namespace lowtide::show

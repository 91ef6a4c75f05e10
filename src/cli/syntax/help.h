#pragma once

#include <string>

#include "cli/syntax/command.h"

namespace lowtide::cli {

// `lowtide --help`: the list of commands.
std::string overview();

// `lowtide COMMAND --help`: description, options, examples and exit status.
std::string help_of(const Command& command);

// lowtide(1), in roff: `lowtide --help-man | man -l -`.
std::string man_page();

}  // namespace lowtide::cli

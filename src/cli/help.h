#pragma once

#include <string>

#include "cli/command.h"

namespace lowtide::cli {

// `lowtide --help`: the verbs.
std::string overview();

// `lowtide VERB --help`: what it does, its options, examples.
std::string help_of(const Command& command);

// lowtide(1), in roff: `lowtide --help-man | man -l -`.
std::string man_page();

}  // namespace lowtide::cli

#pragma once

#include <span>
#include <string>
#include <variant>

#include "cli/command.h"
#include "console/user_error.h"

namespace lowtide::cli {

struct HelpWanted {};

// The words after the verb, against what the command takes.
std::variant<Arguments, HelpWanted, console::UserError> parse_arguments(const Command& command,
                                                                        std::span<const std::string> words);

}  // namespace lowtide::cli

#pragma once

#include <sys/types.h>

#include <optional>
#include <span>
#include <string>
#include <variant>

#include "cli/syntax/command.h"
#include "console/user_error.h"

namespace lowtide::cli {

struct HelpWanted {};

// Parses the words after the command's name.
std::variant<Arguments, HelpWanted, console::UserError> parse_arguments(const Command& command,
                                                                        std::span<const std::string> words);

// Accepts a number above 0, without any other characters.
std::optional<pid_t> parse_pid(const std::string& text);

}  // namespace lowtide::cli

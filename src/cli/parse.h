#pragma once

#include <sys/types.h>

#include <optional>
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

// A number above 0 and nothing else.
std::optional<pid_t> parse_pid(const std::string& text);

}  // namespace lowtide::cli

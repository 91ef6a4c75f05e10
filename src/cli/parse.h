#pragma once

#include <span>
#include <string>
#include <variant>

#include "cli/command.h"
#include "cli/complaint.h"

namespace lowtide::cli {

struct HelpWanted {};

// The words after the verb, against what the command takes.
std::variant<Arguments, HelpWanted, Complaint> parse_arguments(const Command& command,
                                                               std::span<const std::string> words);

}  // namespace lowtide::cli

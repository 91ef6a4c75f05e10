// The options that `run` and `attach` share.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/command.h"
#include "console/user_error.h"
#include "watch/settings.h"

namespace lowtide::cli {

std::vector<Flag> watch_flags();
// For those verbs that end their watching while the job goes on.
Flag trim_trial_flag();
// For those whose watching a person looks at.
Flag screen_flag();
std::variant<watch::Settings, console::UserError> parse_watch_flags(const Arguments& arguments,
                                                                    std::string_view verb);

}  // namespace lowtide::cli

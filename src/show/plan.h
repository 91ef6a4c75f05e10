// What a set-up should take, for a person, a ticket or a program.
#pragma once

#include <string>

#include "model/plan.h"
#include "show/terminal/text.h"

namespace lowtide::show {

std::string to_text(const model::Plan& plan, const TextOptions& options);
std::string to_markdown(const model::Plan& plan);
std::string to_json(const model::Plan& plan);

}  // namespace lowtide::show

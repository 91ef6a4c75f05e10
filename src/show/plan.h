// A plan as text, Markdown and JSON.
#pragma once

#include <string>

#include "plan/plan.h"
#include "show/terminal/text.h"

namespace lowtide::show {

std::string to_text(const plan::Plan& plan, const TextOptions& options);
std::string to_markdown(const plan::Plan& plan);
std::string to_json(const plan::Plan& plan);

}  // namespace lowtide::show

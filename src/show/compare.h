// Two runs side by side, for a person, a ticket or a program.
#pragma once

#include <string>

#include "model/comparison.h"
#include "show/document/document.h"
#include "show/terminal/text.h"

namespace lowtide::show {

std::string to_text(const model::Comparison& comparison, const TextOptions& options);
std::string to_markdown(const model::Comparison& comparison);
std::string to_json(const model::Comparison& comparison);

// What all formats but JSON are written from.
Document comparison_document(const model::Comparison& comparison);

}  // namespace lowtide::show

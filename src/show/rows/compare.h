// The cells of a comparison, the same in text and Markdown.
#pragma once

#include <string>
#include <vector>

#include "model/comparison.h"

namespace lowtide::show {

using Row = std::vector<std::string>;

// "better: the leak is gone"
std::string headline(const model::Comparison& comparison);

// "compared up to step 300", "compared by time"
std::string alignment(const model::Comparison& comparison);

// Name, before, after, what that is: "-46 %", "the same but for noise".
std::vector<Row> value_rows(const model::Comparison& comparison);
std::vector<Row> part_rows(const model::Comparison& comparison);

// "gone", severity, title.
std::vector<Row> finding_rows(const model::Comparison& comparison);

}  // namespace lowtide::show

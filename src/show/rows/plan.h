// The cells of a plan, the same in text and Markdown.
#pragma once

#include <string>
#include <vector>

#include "model/plan.h"

namespace lowtide::show {

using Row = std::vector<std::string>;

// "about 15.2 GB of host memory (9.1 GB to 31.4 GB) and 6.50 GB on the GPU (4.10 GB to 9.80 GB)"
std::string headline(const model::Plan& plan);

// Name and words: "RAM", "15 GiB at the least, 30 GiB to be comfortable".
std::vector<Row> fact_rows(const model::Plan& plan);

// The names of the columns of part_rows.
Row part_head(const model::Plan& plan);
std::vector<Row> part_rows(const model::Plan& plan);

// Change, what it buys on the host and on the GPU, how it is done and what it costs.
Row knob_head(const model::Plan& plan);
std::vector<Row> knob_rows(const model::Plan& plan);

// Component and what was assumed of it.
std::vector<Row> assumption_rows(const model::Plan& plan);

}  // namespace lowtide::show

// Holders, tensors and types in the contract's JSON, of a snapshot and of a report alike.
#pragma once

#include <cstdint>

#include "model/holder_report.h"
#include "show/json/values.h"

namespace lowtide::show {

// Without an earlier snapshot growth is null.
Json holder_json(const model::HolderReport& holder, bool has_earlier);
Json tensors_json(std::int64_t pid, const model::TensorGrowth& row, bool has_earlier);
Json type_json(std::int64_t pid, const model::TypeGrowth& row, bool has_earlier);

}  // namespace lowtide::show

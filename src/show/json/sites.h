// The places that allocate, in the JSON report.
#pragma once

#include "model/report.h"
#include "show/json/values.h"

namespace lowtide::show {

Json sites_json(const model::Report& report);

}  // namespace lowtide::show

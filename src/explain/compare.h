// Before and after: what a change did to the memory of a job.
#pragma once

#include "model/comparison.h"

namespace lowtide::explain {

model::Comparison compare_reports(model::Report before, model::Report after);

}  // namespace lowtide::explain

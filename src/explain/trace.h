// What a recording shows over time, for viewers of traces.
#pragma once

#include "model/trace.h"
#include "record/reader.h"

namespace lowtide::explain {

model::Trace make_trace(record::Recording& recording);

}  // namespace lowtide::explain

// A run for ui.perfetto.dev and chrome://tracing: the trace event format, as JSON.
#pragma once

#include <string>

#include "model/trace.h"

namespace lowtide::show {

std::string to_perfetto(const model::Trace& trace);

}  // namespace lowtide::show

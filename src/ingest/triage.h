// Which lines are worth an analysis at all?
//
// Where every line has a shape of its own (sentences, paths, stack traces) the
// shapes do not help, and analysis costs microseconds. This one pass over the
// letters, about a nanosecond each, lets most of such lines go by.
#pragma once

#include <string_view>

namespace lowtide::ingest {

enum class Triage { Nothing, Matters, MayBeEvent };

// Nothing = no analysis can find anything in a line of this shape.
Triage triage(std::string_view shape);

}  // namespace lowtide::ingest

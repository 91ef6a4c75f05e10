// Which lines are worth an analysis at all?
//
// Where every line has a shape of its own (sentences, paths, stack traces) known
// shapes do not help, and an analysis takes microseconds. So lines are first
// searched for some sixty words, all at once, and those that have none are passed by.
#pragma once

#include <string_view>

namespace lowtide::ingest {

enum class Triage {
  Nothing,   // no analysis can find anything in a line of this shape
  Progress,  // a step or an epoch, and nothing else
  Matters,
  MayBeEvent,
};

// The same for all lines of a shape, whether the shape or the line is given.
Triage triage(std::string_view shape);

}  // namespace lowtide::ingest

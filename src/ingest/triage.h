// Which lines are worth an analysis at all?
//
// Where every line has a shape of its own (sentences, paths, stack traces) the
// shapes do not help, and analysis costs microseconds. So lines are searched
// for some sixty words, all at once, sixteen bytes at a time, and those that hold
// none go by. The method is that of Teddy in Hyperscan: three letters of each
// word, their halves as indices into tables of sixteen entries.
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

// The same without vector instructions: for machines that have none, and for the test.
Triage triage_one_by_one(std::string_view shape);

}  // namespace lowtide::ingest

// Which lines are worth an analysis at all?
//
// Where every line has a shape of its own (sentences, paths, stack traces) the
// shapes do not help, and analysis costs microseconds. So lines are searched
// for some sixty words, all at once, 32 bytes at a time (place_finder.h), and those that
// hold none go by.
#pragma once

#include <cstddef>
#include <string_view>

#include "ingest/words/place_finder.h"

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

// Finds where the line at `text` ends, and in the same pass where words may begin in it. At most
// `length` bytes are asked, and 36 behind them must be readable.
void scan_line(const char* text, std::size_t length, LineScan& scan);

// The same as triage(line), for a line that was scanned.
Triage triage(std::string_view line, const LineScan& scan);

}  // namespace lowtide::ingest

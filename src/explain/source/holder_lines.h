// The lines of code that fill and create the variable that holds memory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "explain/source/source_files.h"
#include "model/code_line.h"
#include "model/snapshot.h"

namespace lowtide::explain {

// `files`: the job's own files that its stacks go through. They are searched where the variable is an
// attribute or a global. Empty where no line was found, or where too many lines match.
std::vector<model::CodeLine> find_holder_lines(SourceFiles& sources, const model::HeldNode& node,
                                               const std::vector<std::string>& files);

// How the line that stores calls the variable: "self.seen" for `trainer._selector.model.seen`. Snapshots find
// the shortest way through the objects, which may lead through a framework. Empty: `variable` is short
// itself, or no line stores.
std::string name_in_code(const std::vector<model::CodeLine>& lines, std::string_view variable);

}  // namespace lowtide::explain

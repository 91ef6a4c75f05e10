// Where test_files.cmake puts the programs and libraries that the tests read.
#pragma once

#include <string>

namespace lowtide::symbols {

extern const std::string kFiles;

}  // namespace lowtide::symbols

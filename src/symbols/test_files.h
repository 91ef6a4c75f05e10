// Where test_files.cmake puts the programs and libraries that the tests read.
#pragma once

#include <string>

namespace lowtide::symbols {

inline const std::string kFiles = LOWTIDE_TEST_FILES;

}  // namespace lowtide::symbols

#include "symbols/test_files.h"

namespace lowtide::symbols {

const std::string kFiles = LOWTIDE_TEST_FILES;

}  // namespace lowtide::symbols

#include "base/testing/source_dir.h"

namespace lowtide::base {

std::string source_dir() {
  return LOWTIDE_SOURCE_DIR;
}

}  // namespace lowtide::base

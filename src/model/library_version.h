#pragma once

#include <string>

namespace lowtide::model {

// The installed version of a Python package whose native code allocates memory of the job.
struct LibraryVersion {
  std::string name;  // of its folder: "pyarrow"
  std::string version;
};

}  // namespace lowtide::model

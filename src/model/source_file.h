#pragma once

#include <string>

namespace lowtide::model {

// A Python file of the job, as it was while the job ran.
struct SourceFile {
  std::string path;  // as in the frames of the job's stacks
  std::string text;
};

}  // namespace lowtide::model

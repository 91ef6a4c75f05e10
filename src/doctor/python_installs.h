// The Python interpreters of a search path, and whether they have a framework.
//
// Found by looking at files. Nothing is run: importing torch takes seconds, and
// a `python3` that comes first in a path may be anything.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lowtide::doctor {

struct PythonInstall {
  std::string path;                          // as found: "/usr/bin/python3"
  std::string version = {};                  // "3.11"; empty where the files do not tell
  std::vector<std::string> frameworks = {};  // of torch, jax, tensorflow
};

// In the order of the path; one that is a link to an earlier one is left out.
std::vector<PythonInstall> find_pythons(std::string_view search_path);

}  // namespace lowtide::doctor

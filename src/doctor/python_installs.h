// The Python interpreters in a search path, and the frameworks that they have.
//
// Only files are read and nothing is run: importing torch takes seconds, and the first `python3` in a path
// may be any program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lowtide::doctor {

struct PythonInstall {
  std::string path;                          // as found: "/usr/bin/python3"
  std::string version = {};                  // "3.11"; empty if the files do not show it
  std::vector<std::string> frameworks = {};  // of torch, jax, tensorflow
};

// In the order of the path. A link to an earlier one is left out.
std::vector<PythonInstall> find_pythons(std::string_view search_path);

}  // namespace lowtide::doctor

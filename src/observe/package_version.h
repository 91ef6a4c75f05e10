// Which version of a Python package a job uses: by the names of the folders that pip and Debian leave beside
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace lowtide::observe {

// `module`: the file of a library below site-packages or dist-packages, as the process sees it. None: it is
// not below such a folder, or no package there has its name.
//
// A distribution may have another name than its package ("opencv-python-headless" for cv2): then its
// top_level.txt or its RECORD names the package.
std::optional<std::string> read_package_version(std::int32_t pid, const std::string& module,
                                                const std::string& proc = "/proc");

}  // namespace lowtide::observe

#pragma once

#include <string>

namespace lowtide::base {

// The folder of the sources, for tests that read fixtures and golden files. One source knows it, so that a
// compiler cache can serve all others in every checkout.
std::string source_dir();

}  // namespace lowtide::base

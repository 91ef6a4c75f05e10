#pragma once

#include <string>
#include <string_view>

namespace lowtide::symbols {

// "_ZN2at5emptyEv" -> "at::empty()". What is no C++ name stays as it is (C,
// Fortran, Rust's "_R..."), and so does one longer than 16 KiB.
std::string demangle(std::string_view name);

}  // namespace lowtide::symbols

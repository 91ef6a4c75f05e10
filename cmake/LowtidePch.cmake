# The headers that nearly every file includes, compiled once for all modules and once
# more, with GoogleTest, for their tests: half of the time of a build. Presets switch it
# on (LOWTIDE_PCH); `clang` does not: there clang-tidy finds the file that lacks an include.
if(NOT LOWTIDE_PCH)
  function(lowtide_precompiled target kind)
  endfunction()
  return()
endif()

set(fmt_library fmt::fmt)
if(LOWTIDE_BUNDLED)
  set(fmt_library fmt::fmt-header-only)
endif()
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/pch.cpp" CONTENT "int main() {}\n")

set(headers <algorithm> <array> <cmath> <cstdint> <cstring> <limits> <map> <memory> <optional> <span> <string>
    <string_view> <unordered_map> <utility> <variant> <vector> <fmt/format.h>)
add_library(lowtide_pch_code OBJECT "${PROJECT_BINARY_DIR}/pch.cpp")
target_link_libraries(lowtide_pch_code PRIVATE ${fmt_library} lowtide_warnings)
target_precompile_headers(lowtide_pch_code PRIVATE ${headers})
if(BUILD_TESTING AND PROJECT_IS_TOP_LEVEL)
  # A program, as those that use it: where code must be movable, it is another -fPI than that of libraries.
  add_executable(lowtide_pch_test "${PROJECT_BINARY_DIR}/pch.cpp")
  target_link_libraries(lowtide_pch_test PRIVATE ${fmt_library} lowtide_warnings GTest::gmock)
  target_precompile_headers(lowtide_pch_test PRIVATE ${headers} <gmock/gmock.h> <gtest/gtest.h>)
endif()

# A module that does not use fmt must have its macros all the same: the compiler takes
# precompiled headers only where their macros are what they were.
function(lowtide_precompiled target kind)
  target_precompile_headers(${target} REUSE_FROM lowtide_pch_${kind})
  target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:lowtide_pch_${kind},COMPILE_DEFINITIONS>)
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)  # for ccache
endfunction()

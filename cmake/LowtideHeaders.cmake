# Every header compiles alone: `cmake --build --preset dev --target headers`.
#
# A source per header that includes it twice, so that a missing include and a
# missing #pragma once both show. Headers are globbed here, and only here: a
# check that lists its subjects by hand misses the one that was forgotten.
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/src/*.h")
set(sources "")
foreach(header IN LISTS headers)
  string(MAKE_C_IDENTIFIER "${header}" identifier)
  set(source "${PROJECT_BINARY_DIR}/headers/${identifier}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "#include \"@header@\"\n#include \"@header@\"\n" @ONLY)
  list(APPEND sources "${source}")
endforeach()
add_library(headers OBJECT EXCLUDE_FROM_ALL ${sources})
target_include_directories(headers PRIVATE "${PROJECT_SOURCE_DIR}/src")
target_link_libraries(headers PRIVATE lowtide_warnings fmt::fmt nlohmann_json::nlohmann_json CLI11::CLI11)
target_compile_options(headers PRIVATE -O0)

# The two ways in which code enters the house.

# The presets for developers make errors of warnings (CMAKE_COMPILE_WARNING_AS_ERROR).
# Those for users do not: a compiler that we have not met may warn of what it likes.
add_library(lowtide_warnings INTERFACE)
target_compile_options(lowtide_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast
  # GCC 12 sees overlaps and overflows in std::string operations where there are none (GCC bug 105651
  # and its kin, the more where headers are precompiled). The sanitizers see the true ones.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>)

# Preset `portable`: one file that runs on any Linux of its architecture, glibc
# of RHEL 8 included, so everything is linked in. Debian has no libfmt.a: fmt is
# compiled in from its headers. dlopen does not work in a static program: there
# lowtide has no NVML, and says so (LOWTIDE_STATIC).
if(LOWTIDE_PORTABLE)
  add_link_options(-static-pie)
  add_compile_definitions(LOWTIDE_STATIC)
elseif(LOWTIDE_BUNDLED)
  add_link_options(-static-libstdc++ -static-libgcc)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()

# Every module adds its line "name: deps" here; tests/check_layers.py holds the
# includes to it. The list exists once: in the DEPS of the modules.
set(LOWTIDE_LAYERS_FILE "${PROJECT_BINARY_DIR}/layers.txt")
file(WRITE "${LOWTIDE_LAYERS_FILE}" "")

if(BUILD_TESTING AND PROJECT_IS_TOP_LEVEL)
  if(LOWTIDE_GTEST_SOURCES)
    block()
      set(CMAKE_COMPILE_WARNING_AS_ERROR OFF)
      add_subdirectory("${LOWTIDE_GTEST_SOURCES}" "${PROJECT_BINARY_DIR}/googletest" EXCLUDE_FROM_ALL SYSTEM)
    endblock()
    # Whoever asks for it again has it already.
    file(WRITE "${CMAKE_FIND_PACKAGE_REDIRECTS_DIR}/gtest-config.cmake" "")
  else()
    find_package(GTest REQUIRED)
  endif()
endif()

include(LowtidePch)

# lowtide_module(<name> SOURCES ... [DEPS ...] [LIBS ...] [TESTS ...] [THREADED])
#
# One folder under src/ = one library lowtide_<name>. DEPS is the whole list of
# folders it may include, LIBS the third-party libraries it links. TESTS names
# the test sources (without .cpp) beside the code; they become one test program.
# THREADED tests run under the thread sanitizer as well.
function(lowtide_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "THREADED" "" "SOURCES;DEPS;LIBS;TESTS")
  file(APPEND "${LOWTIDE_LAYERS_FILE}" "${name}: ${arg_DEPS}\n")

  set(scope PUBLIC)
  if(arg_SOURCES)
    add_library(lowtide_${name} STATIC ${arg_SOURCES})
    target_link_libraries(lowtide_${name} PRIVATE lowtide_warnings)
    lowtide_precompiled(lowtide_${name} code)
  else()
    add_library(lowtide_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(lowtide_${name} ${scope} "${PROJECT_SOURCE_DIR}/src")
  list(TRANSFORM arg_DEPS PREPEND lowtide_ OUTPUT_VARIABLE libraries)
  if(LOWTIDE_BUNDLED)
    list(TRANSFORM arg_LIBS REPLACE "^fmt::fmt$" "fmt::fmt-header-only")
  endif()
  target_link_libraries(lowtide_${name} ${scope} ${libraries} ${arg_LIBS})

  if(arg_TESTS AND BUILD_TESTING AND PROJECT_IS_TOP_LEVEL)
    include(GoogleTest)
    list(TRANSFORM arg_TESTS APPEND .cpp OUTPUT_VARIABLE test_sources)
    add_executable(${name}_test ${test_sources})
    target_link_libraries(${name}_test PRIVATE lowtide_${name} lowtide_warnings GTest::gmock GTest::gtest_main)
    target_compile_definitions(${name}_test PRIVATE LOWTIDE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    lowtide_precompiled(${name}_test test)
    set(label unit)
    if(arg_THREADED)
      set(label unit-threads)  # -L unit and -L threads both find it
    endif()
    gtest_discover_tests(${name}_test TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60 PROPERTIES LABELS ${label} TIMEOUT 300)
  endif()
endfunction()

# All libFuzzer targets, and nothing else.
if(LOWTIDE_FUZZ)
  add_custom_target(fuzzers)
endif()

# lowtide_fuzz(<name> SOURCE <file> DEPS ...)
#
# A libFuzzer target where the compiler is clang and the preset is `fuzz`; under
# every preset a replay of tests/fuzz/<name>/* through the same function, so
# that a found input stays found.
function(lowtide_fuzz name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE" "DEPS")
  if(NOT BUILD_TESTING OR NOT PROJECT_IS_TOP_LEVEL)
    return()
  endif()
  list(TRANSFORM arg_DEPS PREPEND lowtide_ OUTPUT_VARIABLE libraries)
  if(LOWTIDE_FUZZ)
    add_executable(${name}_fuzz ${arg_SOURCE})
    target_compile_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
    target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
    target_link_libraries(${name}_fuzz PRIVATE ${libraries} lowtide_warnings)
    add_dependencies(fuzzers ${name}_fuzz)
  else()
    add_executable(${name}_replay ${arg_SOURCE} "${PROJECT_SOURCE_DIR}/tests/fuzz/replay.cpp")
    target_link_libraries(${name}_replay PRIVATE ${libraries} lowtide_warnings)
    add_test(NAME fuzz.${name} COMMAND ${name}_replay "${PROJECT_SOURCE_DIR}/tests/fuzz/${name}")
    set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz TIMEOUT 120)
  endif()
endfunction()

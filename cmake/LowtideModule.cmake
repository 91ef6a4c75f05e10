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

# Each folder under src/ adds a line "name: deps" to layers.txt and "name: text" to
# folders.txt. tests/check_layers.py checks the includes against the first, and
# tools/architecture.py makes the table in docs/architecture.md from both.
set(LOWTIDE_LAYERS_FILE "${PROJECT_BINARY_DIR}/layers.txt")
set(LOWTIDE_FOLDERS_FILE "${PROJECT_BINARY_DIR}/folders.txt")
file(WRITE "${LOWTIDE_LAYERS_FILE}" "")
file(WRITE "${LOWTIDE_FOLDERS_FILE}" "")

# lowtide_folder(<name> ABOUT <text> [ROOMS "<subfolder>: <text>" ...] [DEPS ...]): what the folder and its subfolders
# are for, and all folders that it may include.
function(lowtide_folder name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "ABOUT" "ROOMS;DEPS")
  if(NOT arg_ABOUT)
    message(FATAL_ERROR "src/${name}: ABOUT is missing; it is the folder's line in docs/architecture.md")
  endif()
  file(APPEND "${LOWTIDE_LAYERS_FILE}" "${name}: ${arg_DEPS}\n")
  file(APPEND "${LOWTIDE_FOLDERS_FILE}" "${name}: ${arg_ABOUT}\n")
  foreach(room IN LISTS arg_ROOMS)
    file(APPEND "${LOWTIDE_FOLDERS_FILE}" "${name}/${room}\n")
  endforeach()
endfunction()

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

add_custom_target(threaded_tests)  # the programs that the thread sanitizer builds

# Several sources in one translation unit: most of the time goes into headers. Two sources of one folder must then not
# use one name in their unnamed namespaces. Sources with options of their own stay apart (SKIP_UNITY_BUILD_INCLUSION).
set(LOWTIDE_UNITY_BATCH 8 CACHE STRING "sources per translation unit where LOWTIDE_UNITY is on; 0: all of a folder")
function(lowtide_unity target)
  if(LOWTIDE_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${LOWTIDE_UNITY_BATCH})
  endif()
endfunction()

# lowtide_module(<name> ABOUT <text> [ROOMS ...] SOURCES ... [DEPS ...] [LIBS ...] [TESTING ...] [TESTS ...] [THREADED])
#
# One folder under src/ = one library lowtide_<name>. ABOUT says what the folder is for, ROOMS what its subfolders
# are for. DEPS
# is the whole list of folders it may include, LIBS the third-party libraries it links. TESTING
# lists the sources of test support; they become the library lowtide_<name>_testing, which the
# tests of other folders may link too. TESTS names the test sources (without .cpp); they become
# one test program. THREADED tests run under the thread sanitizer as well.
function(lowtide_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "THREADED" "ABOUT" "ROOMS;SOURCES;DEPS;LIBS;TESTING;TESTS")
  lowtide_folder(${name} ABOUT "${arg_ABOUT}" ROOMS ${arg_ROOMS} DEPS ${arg_DEPS})

  set(scope PUBLIC)
  if(arg_SOURCES)
    add_library(lowtide_${name} STATIC ${arg_SOURCES})
    target_link_libraries(lowtide_${name} PRIVATE lowtide_warnings)
    lowtide_precompiled(lowtide_${name} code)
    lowtide_unity(lowtide_${name})
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
  if(NOT BUILD_TESTING OR NOT PROJECT_IS_TOP_LEVEL)
    return()
  endif()

  set(support "")
  if(arg_TESTING)
    set(support lowtide_${name}_testing)
    add_library(${support} STATIC ${arg_TESTING})
    target_link_libraries(${support} PUBLIC lowtide_${name} GTest::gmock PRIVATE lowtide_warnings)
  endif()
  if(arg_TESTS)
    list(TRANSFORM arg_TESTS APPEND .cpp OUTPUT_VARIABLE test_sources)
    add_executable(${name}_test ${test_sources})
    target_link_libraries(${name}_test PRIVATE lowtide_${name} ${support} lowtide_base_testing lowtide_warnings GTest::gmock GTest::gtest_main)
    lowtide_precompiled(${name}_test test)
    lowtide_unity(${name}_test)
    set(labels unit)
    if(arg_THREADED)
      list(APPEND labels threads)
      add_dependencies(threaded_tests ${name}_test)
    endif()
    lowtide_gtests(${name}_test "${name}" "${labels}")
  endif()
endfunction()

# lowtide_gtests(<program> <prefix> <labels>): each test of the program is a test of ctest. Under
# sanitizers and under qemu (LOWTIDE_WHOLE_PROGRAMS) the whole program is one test: a process takes
# longer to start there than most tests take to run.
function(lowtide_gtests program prefix labels)
  if(LOWTIDE_WHOLE_PROGRAMS)
    add_test(NAME "${prefix}" COMMAND ${program})
    set_tests_properties("${prefix}" PROPERTIES LABELS "${labels}" TIMEOUT 600)
  else()
    include(GoogleTest)
    string(REPLACE ";" "-" joined "${labels}")  # -L unit and -L threads both find unit-threads
    gtest_discover_tests(${program} TEST_PREFIX "${prefix}." DISCOVERY_TIMEOUT 60 PROPERTIES LABELS ${joined} TIMEOUT 300)
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

# cmake -D SCRIPT= -D HEADER= -D FUNCTION= -D SOURCE= -P embed_script.cmake: writes the source that holds a script
# (see LowtideEmbed.cmake).
cmake_minimum_required(VERSION 3.25)

set(marker "\n# --- embedded from here on ---\n")
set(delimiter "lowtide-script")
set(most_bytes 65536)  # the standard asks every compiler for string literals of this size, and clang warns above it

file(READ "${SCRIPT}" text)
string(FIND "${text}" "${marker}" at)
string(FIND "${text}" "${marker}" last REVERSE)
if(at EQUAL -1 OR NOT at EQUAL last)
  message(FATAL_ERROR "${SCRIPT}: needs exactly one line \"# --- embedded from here on ---\"")
endif()
string(LENGTH "${marker}" length)
math(EXPR at "${at} + ${length}")
string(SUBSTRING "${text}" ${at} -1 text)

string(FIND "${text}" ")${delimiter}\"" end)
string(LENGTH "${text}" length)
if(NOT end EQUAL -1 OR length GREATER_EQUAL most_bytes)
  message(FATAL_ERROR "${SCRIPT}: does not fit into one string literal of C++ (${length} bytes)")
endif()

string(REGEX MATCH "^(.*)::([^:]+)$" matched "${FUNCTION}")
set(namespace "${CMAKE_MATCH_1}")
set(name "${CMAKE_MATCH_2}")
get_filename_component(file "${SCRIPT}" NAME)
file(WRITE "${SOURCE}" "// Made by cmake/embed_script.cmake from ${file}.
#include \"${HEADER}\"

namespace ${namespace} {

const char* ${name}() {
  return R\"${delimiter}(${text})${delimiter}\";
}

}  // namespace ${namespace}
")

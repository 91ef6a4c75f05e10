# cmake -D NPM= -D WEB= -D PAGE= -D SOURCE= -P build_page.cmake: the page, and the source that holds it.
#
# Never fails for want of npm or of packages: then the page is left out, and one line says why. A page that is
# wrong (types, syntax) is an error like any other.
cmake_minimum_required(VERSION 3.25)

function(write_source page)
  file(CONFIGURE OUTPUT "${SOURCE}" CONTENT [[// Made by cmake/build_page.cmake of web/.
#include "show/page/template.h"

namespace lowtide::show {

std::string_view page_template() {
  return R"lowtide-page(@page@)lowtide-page";
}

}  // namespace lowtide::show
]] @ONLY)
  file(TOUCH "${SOURCE}")  # also where nothing changed, else it would be made again and again
endfunction()

function(leave_out why)
  file(REMOVE "${PAGE}")
  write_source("")
  message(NOTICE "page: LEFT OUT, `report --html` will say so: ${why}")
endfunction()

# What npm says when it fails is long: the one line that matters.
function(reason_of output result)
  string(REGEX MATCH "npm (ERR!|error) [^\n]*(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|network|getaddrinfo)[^\n]*" line "${output}")
  if(NOT line)
    string(REGEX MATCH "npm (ERR!|error) [^\n]*" line "${output}")
  endif()
  set(${result} "${line}" PARENT_SCOPE)
endfunction()

# The packages stay beside their list; they are fetched again when the list has changed.
function(fetch_packages result)
  file(SHA256 "${WEB}/package-lock.json" wanted)
  set(stamp "${WEB}/node_modules/.lowtide-lock")
  set(${result} "" PARENT_SCOPE)
  if(EXISTS "${stamp}")
    file(READ "${stamp}" have)
    if(have STREQUAL wanted)
      return()
    endif()
  endif()
  execute_process(
    COMMAND "${NPM}" ci --prefer-offline --no-audit --no-fund --fetch-retries=1
            --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=2000 --fetch-timeout=30000
    WORKING_DIRECTORY "${WEB}" RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(status EQUAL 0)
    file(WRITE "${stamp}" "${wanted}")
    return()
  endif()
  reason_of("${output}" line)
  set(${result} "npm ci failed (${line}); try: cd web && npm ci, then configure again" PARENT_SCOPE)
endfunction()

if(NOT NPM)
  leave_out("npm is not here; try: apt-get install npm, then configure again")
  return()
endif()
fetch_packages(failure)
if(failure)
  leave_out("${failure}")
  return()
endif()

get_filename_component(folder "${PAGE}" DIRECTORY)
foreach(step IN ITEMS "check" "build;--;--outDir;${folder}/dist;--emptyOutDir")
  execute_process(COMMAND "${NPM}" run --silent ${step} WORKING_DIRECTORY "${WEB}" RESULT_VARIABLE status
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "page: ${output}")
  endif()
endforeach()
file(RENAME "${folder}/dist/index.html" "${PAGE}")
file(READ "${PAGE}" page)
write_source("${page}")

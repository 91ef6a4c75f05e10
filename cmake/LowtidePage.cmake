# The page of `report --html`: web/ built by npm and Vite into one HTML file, and that into a source,
# ${LOWTIDE_PAGE_SOURCE}. Nothing of it is committed.
#
# Without npm or its packages, the source has an empty page: the build prints one line, everything else is
# built, and `report --html` reports it. The build tries again when it is configured again.
set(LOWTIDE_PAGE_SOURCE "${PROJECT_BINARY_DIR}/web/page_template.cpp")
set(page_html "${PROJECT_BINARY_DIR}/web/page.html")
find_program(LOWTIDE_NPM npm)

if(EXISTS "${LOWTIDE_PAGE_SOURCE}" AND NOT EXISTS "${page_html}")
  file(REMOVE "${LOWTIDE_PAGE_SOURCE}")
endif()

file(GLOB_RECURSE page_parts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/web/src/*")
list(FILTER page_parts EXCLUDE REGEX "(\\.test|/test_data)\\.ts$")
list(APPEND page_parts
  "${PROJECT_SOURCE_DIR}/web/index.html" "${PROJECT_SOURCE_DIR}/web/package.json"
  "${PROJECT_SOURCE_DIR}/web/package-lock.json" "${PROJECT_SOURCE_DIR}/web/vite.config.ts"
  "${PROJECT_SOURCE_DIR}/web/tsconfig.json" "${PROJECT_SOURCE_DIR}/web/tsconfig.page.json")
add_custom_command(
  OUTPUT "${LOWTIDE_PAGE_SOURCE}"
  COMMAND "${CMAKE_COMMAND}" -D "NPM=${LOWTIDE_NPM}" -D "WEB=${PROJECT_SOURCE_DIR}/web" -D "PAGE=${page_html}"
          -D "SOURCE=${LOWTIDE_PAGE_SOURCE}" -P "${PROJECT_SOURCE_DIR}/cmake/build_page.cmake"
  DEPENDS ${page_parts} "${PROJECT_SOURCE_DIR}/cmake/build_page.cmake"
  COMMENT "page: web/ into one file"
  VERBATIM)
# One string of 114 kB: the standard requires 64 kB, GCC and clang accept more, and clang warns.
set_source_files_properties("${LOWTIDE_PAGE_SOURCE}" PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings SKIP_UNITY_BUILD_INCLUSION ON)

# lowtide_embed(<variable> SCRIPT <file.py> HEADER <header> FUNCTION <namespace>::<name>)
#
# Makes a source that holds the text of a Python script, and sets <variable> to its path. HEADER declares
# `const char* name();`. Only the text below the line "# --- embedded from here on ---" is in the source: above it are
# the comments for readers, and the names that the caller defines, so that a linter knows them.
#
# A custom command belongs to the folder that uses its output: call this in the folder of the target.
function(lowtide_embed variable)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SCRIPT;HEADER;FUNCTION" "")
  set(script "${CMAKE_CURRENT_SOURCE_DIR}/${arg_SCRIPT}")
  get_filename_component(name "${arg_SCRIPT}" NAME_WE)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/embedded/${name}.cpp")
  add_custom_command(
    OUTPUT "${source}"
    COMMAND "${CMAKE_COMMAND}" -D "SCRIPT=${script}" -D "HEADER=${arg_HEADER}" -D "FUNCTION=${arg_FUNCTION}"
            -D "SOURCE=${source}" -P "${PROJECT_SOURCE_DIR}/cmake/embed_script.cmake"
    DEPENDS "${script}" "${PROJECT_SOURCE_DIR}/cmake/embed_script.cmake"
    COMMENT "embed ${arg_SCRIPT}"
    VERBATIM)
  set(${variable} "${source}" PARENT_SCOPE)
endfunction()

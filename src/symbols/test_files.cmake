# Files for the tests of src/symbols to read: the same code with debuginfo,
# without, stripped, with its debuginfo elsewhere; and programs that capture
# themselves, static and moved, and of the other architecture.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(folder "${CMAKE_CURRENT_BINARY_DIR}/test_files")
file(MAKE_DIRECTORY "${folder}")
set(source "${CMAKE_CURRENT_SOURCE_DIR}/test_code.cpp")
set(compile "${CMAKE_CXX_COMPILER}" -std=c++20 -O2 -fomit-frame-pointer -Wl,--build-id=sha1)
set(subject_sources "${CMAKE_CURRENT_SOURCE_DIR}/test_subject.cpp" "${CMAKE_CURRENT_SOURCE_DIR}/test_calls.cpp"
                    "${CMAKE_CURRENT_SOURCE_DIR}/test_capture.cpp")
set(subject_headers "${CMAKE_CURRENT_SOURCE_DIR}/test_calls.h" "${CMAKE_CURRENT_SOURCE_DIR}/test_capture.h"
                    "${CMAKE_CURRENT_SOURCE_DIR}/registers.h")
set(files "")

# test_file(NAME DEPENDS... COMMAND...)
macro(test_file name)
  add_custom_command(OUTPUT "${folder}/${name}" ${ARGN} VERBATIM)
  list(APPEND files "${folder}/${name}")
endmacro()

test_file(plain.so COMMAND ${compile} -g0 -fPIC -shared -o "${folder}/plain.so" "${source}" DEPENDS "${source}")
test_file(debug.so COMMAND ${compile} -g -fPIC -shared -o "${folder}/debug.so" "${source}" DEPENDS "${source}")
test_file(stripped.so COMMAND ${compile} -g0 -s -fPIC -shared -o "${folder}/stripped.so" "${source}" DEPENDS "${source}")

# The debuginfo beside the program, found by .gnu_debuglink.
test_file(linked.so.debug COMMAND "${CMAKE_OBJCOPY}" --only-keep-debug "${folder}/debug.so" "${folder}/linked.so.debug"
          DEPENDS "${folder}/debug.so")
test_file(linked.so COMMAND "${CMAKE_OBJCOPY}" --strip-all "--add-gnu-debuglink=${folder}/linked.so.debug" "${folder}/debug.so"
          "${folder}/linked.so" DEPENDS "${folder}/linked.so.debug")

# The small symbol table of Fedora and RHEL.
test_file(mini.xz COMMAND Python3::Interpreter -c
          "__import__('lzma').open('${folder}/mini.xz', 'wb').write(open('${folder}/plain.so', 'rb').read())" DEPENDS "${folder}/plain.so")
test_file(mini.so COMMAND "${CMAKE_OBJCOPY}" --strip-all --add-section ".gnu_debugdata=${folder}/mini.xz" "${folder}/plain.so"
          "${folder}/mini.so" DEPENDS "${folder}/mini.xz")

set(subject ${compile} "-I${PROJECT_SOURCE_DIR}/src" ${subject_sources})
if(NOT CMAKE_CROSSCOMPILING) # the loader of another architecture is not here
  test_file(subject_pie COMMAND ${subject} -g0 -pie -fPIE -o "${folder}/subject_pie"
            DEPENDS ${subject_sources} ${subject_headers})
  target_compile_definitions(symbols_test PRIVATE LOWTIDE_HAS_PIE_SUBJECT)
endif()
test_file(subject_static COMMAND ${subject} -g0 -static -no-pie -o "${folder}/subject_static"
          DEPENDS ${subject_sources} ${subject_headers})

# With signed return addresses, which qemu checks. Skipped, and said, where there is no compiler for it.
find_program(LOWTIDE_AARCH64_CXX aarch64-linux-gnu-g++)
find_program(LOWTIDE_AARCH64_RUN qemu-aarch64)
if(LOWTIDE_AARCH64_CXX AND LOWTIDE_AARCH64_RUN)
  test_file(subject_aarch64 COMMAND "${LOWTIDE_AARCH64_CXX}" -std=c++20 -O2 -fomit-frame-pointer -mbranch-protection=standard
            "-I${PROJECT_SOURCE_DIR}/src" ${subject_sources} -static -o "${folder}/subject_aarch64"
            DEPENDS ${subject_sources} ${subject_headers})
  target_compile_definitions(symbols_test PRIVATE LOWTIDE_AARCH64_RUN="${LOWTIDE_AARCH64_RUN}")
endif()

add_custom_target(symbols_test_files DEPENDS ${files})
add_dependencies(symbols_test symbols_test_files)
target_compile_definitions(symbols_test PRIVATE LOWTIDE_TEST_FILES="${folder}"
                           LOWTIDE_NATIVE_RUN="${CMAKE_CROSSCOMPILING_EMULATOR}")

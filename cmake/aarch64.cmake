# Toolchain: aarch64 from any Debian or Ubuntu, its tests run by qemu.
#
# fmt is compiled in from the host's headers (LOWTIDE_PORTABLE), gtest from its sources, and everything is linked
# statically. The libraries come from build/aarch64-root, where `./dev` unpacks them (tools/foreign_root.sh); without it
# what needs them is compiled and not linked.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)
# After the compiler's own: /usr/include also holds the C library's headers, which
# are those of the host.
set(CMAKE_CXX_FLAGS_INIT "-idirafter /usr/include")
file(GLOB fmt_DIR /usr/lib/*/cmake/fmt)
set(LOWTIDE_GTEST_SOURCES /usr/src/googletest)
cmake_path(SET LOWTIDE_FOREIGN_ROOT NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../build/aarch64-root")
if(EXISTS "${LOWTIDE_FOREIGN_ROOT}/.unpacked")
  set(CMAKE_FIND_ROOT_PATH "${LOWTIDE_FOREIGN_ROOT}")
  set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
  string(PREPEND CMAKE_CXX_FLAGS_INIT "-idirafter ${LOWTIDE_FOREIGN_ROOT}/usr/include ")
endif()

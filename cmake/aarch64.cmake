# Toolchain: aarch64 from any Debian or Ubuntu, its tests run by qemu.
#
# Only headers of the host's packages are used: fmt compiled in (LOWTIDE_PORTABLE),
# gtest from its sources, everything linked statically, so that neither foreign
# packages nor a foreign root file system are needed. What is to be used there needs
# libraries: LOWTIDE_FOREIGN_ROOT is where tools/foreign_root.sh has unpacked them.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)
# After the compiler's own: /usr/include also holds the C library's headers, which
# are those of the host.
set(CMAKE_CXX_FLAGS_INIT "-idirafter /usr/include")
file(GLOB fmt_DIR /usr/lib/*/cmake/fmt)
set(LOWTIDE_GTEST_SOURCES /usr/src/googletest)
if(LOWTIDE_FOREIGN_ROOT)
  set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
  set(CMAKE_FIND_ROOT_PATH "${LOWTIDE_FOREIGN_ROOT}")
  set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
  string(PREPEND CMAKE_CXX_FLAGS_INIT "-idirafter ${LOWTIDE_FOREIGN_ROOT}/usr/include ")
endif()

#!/bin/sh
# Where the binary and the jobs are, filled in by CMake; the rest is in zoo/check.py.
exec "@Python3_EXECUTABLE@" -B "@PROJECT_SOURCE_DIR@/zoo/check.py" \
  --binary "@PROJECT_BINARY_DIR@/src/cli/lowtide" --replay "@CMAKE_CURRENT_BINARY_DIR@/same_verdict" "$@"

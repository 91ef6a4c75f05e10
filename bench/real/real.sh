#!/bin/sh
# Makes the environment of the jobs, once, and runs them; the rest is in bench/real/real_jobs.py.
set -eu
venv="@PROJECT_SOURCE_DIR@/build/real-venv"
if [ ! -e "$venv/made" ]; then
  echo "installs the libraries of bench/real/requirements.txt (about 1.3 GB)" >&2
  "@Python3_EXECUTABLE@" -m venv "$venv"
  "$venv/bin/pip" install --quiet --retries 1 -r "@PROJECT_SOURCE_DIR@/bench/real/requirements.txt"
  : >"$venv/made"
fi
exec "@Python3_EXECUTABLE@" -B "@PROJECT_SOURCE_DIR@/bench/real/real_jobs.py" --python "$venv/bin/python" \
  --binary "@PROJECT_BINARY_DIR@/src/cli/lowtide" "$@"

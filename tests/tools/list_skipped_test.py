"""tools/list_skipped.py: every skipped test is listed, also one within a program that passed.

usage: list_skipped_test.py TOOLS_FOLDER
"""

import pathlib
import subprocess
import sys
import tempfile

JUNIT = """<testsuite>
<testcase name="procfs" status="run"><system-out>[ RUN      ] A.b
/x/y.cpp:246: Skipped
needs root

[  SKIPPED ] A.b (0 ms)
[       OK ] A.c (0 ms)
/x/y.cpp:9: Skipped
no vdso here

[  SKIPPED ] A.d (1 ms)
</system-out></testcase>
<testcase name="gpu" status="notrun"><skipped/><system-out>SKIPPED gpu: no GPU</system-out></testcase>
<testcase name="silent" status="notrun"><skipped/><system-out></system-out></testcase>
<testcase name="good" status="run"><system-out>[       OK ] A.e (0 ms)</system-out></testcase>
</testsuite>"""
EXPECTED = ["SKIPPED procfs A.b: needs root", "SKIPPED procfs A.d: no vdso here", "SKIPPED gpu: no GPU",
            "SKIPPED silent: it gave no reason"]

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, "junit.xml")
    path.write_text(JUNIT)
    done = subprocess.run([sys.executable, pathlib.Path(sys.argv[1], "list_skipped.py"), path], capture_output=True, text=True, check=True)
lines = [line.strip() for line in done.stdout.splitlines()]
assert lines == EXPECTED, lines

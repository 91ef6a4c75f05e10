"""Tests of tools/list_failed.py on a JUnit file as ctest writes it.

usage: list_failed_test.py TOOLS
"""
import pathlib
import subprocess
import sys
import tempfile

JUNIT = """<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="Linux-c++" tests="2" failures="1">
  <testcase name="good" classname="good" time="1.5" status="run"><system-out>fine</system-out></testcase>
  <testcase name="bad" classname="bad" time="2.25" status="fail"><failure message="Failed"/><system-out>{}</system-out></testcase>
</testsuite>
"""


def run(text: str) -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryDirectory() as folder:
        junit = pathlib.Path(folder, "junit.xml")
        junit.write_text(text)
        return subprocess.run([sys.executable, "-B", str(pathlib.Path(sys.argv[1], "list_failed.py")), str(junit)],
                              capture_output=True, text=True, check=False)


done = run(JUNIT.format("\n".join(f"line {number}" for number in range(100))))
assert done.returncode == 0, done
assert done.stdout.startswith("--- bad failed after 2.2 s\nline 60\n"), done.stdout
assert done.stdout.endswith("line 99\n") and "fine" not in done.stdout, done.stdout

none = run(JUNIT.replace("<failure message=\"Failed\"/>", "").format(""))
assert none.returncode == 1 and none.stdout == "", none

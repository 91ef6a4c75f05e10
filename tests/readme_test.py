"""Runs the commands that README.md shows, and holds them to their exit codes.

usage: readme_test.py BINARY README

Commands are the lines "$ lowtide ..." in blocks fenced as ```console. They must end
with 0, or with N where "# exit N" follows. A README without commands fails: a
test that found nothing to test has not passed.
"""

import pathlib
import re
import shlex
import subprocess
import sys


def commands(text):
    for block in re.findall(r"^```console\n(.*?)^```", text, re.M | re.S):
        for line in block.splitlines():
            if line.startswith("$ lowtide"):
                expected = re.search(r"# exit (\d+)\s*$", line)
                yield line[2:], int(expected[1]) if expected else 0


def main():
    binary, readme = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    ran = bad = 0
    for command, expected in commands(readme.read_text()):
        words = shlex.split(command, comments=True)[1:]
        result = subprocess.run(
            [binary, *words], cwd=readme.parent, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=60, check=False,
        )
        ran += 1
        if result.returncode != expected:
            bad += 1
            print(f"{command}\n  ended with {result.returncode}, README says {expected}\n{result.stderr}")
        elif not result.stdout.strip():
            bad += 1
            print(f"{command}\n  printed nothing")
    print(f"{ran} commands of {readme.name}, {bad} not as it says")
    return 1 if bad or ran == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

"""Fills the captures in README.md from the real program, or checks them.

usage: readme_capture.py [--check] BINARY [README]

A capture is a console block between <!-- capture:NAME --> and <!-- /capture -->. Its
lines that begin with "$ lowtide" are run from the root of the project, and what
they print (both streams) stands below each. A comment after the command is kept.
A table between <!-- copy:NAME --> and <!-- /copy --> is the one that docs/bench.md has between
<!-- figures:NAME --> and <!-- /figures -->, so that figures stand in one place.
"""

import difflib
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"(<!-- capture:[\w-]+ -->\n```console\n)(.*?)(```\n<!-- /capture -->)", re.S)


COPY = re.compile(r"(<!-- copy:([\w-]+) -->\n)(.*?)(<!-- /copy -->)", re.S)


def copied(name: str) -> str:
    found = re.search(rf"<!-- figures:{name} -->\n(.*?)<!-- /figures -->", (ROOT / "docs/bench.md").read_text(), re.S)
    if not found:
        sys.exit(f"readme_capture: docs/bench.md has no figures called {name}")
    return found[1]


def run(binary: str, command: str) -> str:
    words = shlex.split(command, comments=True)[1:]
    # A pipe has no width and no colours: the same everywhere.
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "TZ": "UTC", "NO_COLOR": "1", "COLUMNS": "100"}
    result = subprocess.run(
        [binary, *words], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, timeout=60,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )
    return "\n".join(line.rstrip() for line in result.stdout.splitlines())


def filled(binary: str, block: str) -> str:
    out = []
    for line in block.splitlines():
        if line.startswith("$ lowtide"):
            output = run(binary, line[2:])
            if not output:
                sys.exit(f"readme_capture: `{line}` printed nothing")
            out += [line, output]
    if not out:
        sys.exit("readme_capture: a capture without a line that begins with `$ lowtide`")
    return "\n".join(out) + "\n"


def main() -> int:
    arguments = [word for word in sys.argv[1:] if word != "--check"]
    binary = str(pathlib.Path(arguments[0]).resolve())
    readme = pathlib.Path(arguments[1]) if len(arguments) > 1 else ROOT / "README.md"
    before = readme.read_text()
    after, captures = BLOCK.subn(lambda hit: hit[1] + filled(binary, hit[2]) + hit[3], before)
    after = COPY.sub(lambda hit: hit[1] + copied(hit[2]) + hit[4], after)
    if captures == 0:
        sys.exit(f"readme_capture: no capture in {readme}")
    if "--check" not in sys.argv:
        readme.write_text(after)
        print(f"{captures} captures filled")
        return 0
    if before == after:
        print(f"{captures} captures are what the program prints")
        return 0
    sys.stdout.writelines(
        difflib.unified_diff(before.splitlines(True), after.splitlines(True), "README.md", "the program")
    )
    print("the captures are old; try: tools/readme_capture.py BINARY, and read the difference")
    return 1


if __name__ == "__main__":
    sys.exit(main())

"""Does what docs/tutorial.md says, in its order, and compares what comes of it.

usage: tutorial_test.py --binary LOWTIDE [NAME...] | --list

A block ```python whose first line is "# FILE" is a file. A block ```console has commands ("$ ...", "# exit N" where that is
not 0) and after each the lines that must be in its output, in that order; "..." is anything.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys

from environment import HERE, PYTHON, ROOT, folder, main, need, settings

TUTORIAL = ROOT / "docs" / "tutorial.md"


def _blocks(text):
    return re.findall(r"^```(python|console)\n(.*?)^```", text, re.M | re.S)


def _commands(block):
    command, expected = None, []
    for line in block.splitlines():
        if line.startswith("$ "):
            if command is not None:
                yield command, expected
            command, expected = line[2:], []
        else:
            expected.append(line)
    if command is not None:
        yield command, expected


def _pattern(line):
    """Numbers and units that differ between machines are written as they were once: any are as good, and so is the
    width of a column."""
    parts = [re.escape(part) for part in line.strip().split("...")]
    numbers = re.sub(r"\d+(?:\\\.\d+)?", "[0-9.,]+", ".*".join(parts))
    return re.sub(r"\b[kMG]B\b", "[kMG]?B", re.sub(r"(\\ )+", r"\\s+", numbers))


def _run(command, expected, place, environment):
    status = re.search(r"# exit (\d+)\s*$", command)
    words = shlex.split(command, comments=True)
    done = subprocess.run(words, cwd=place, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    assert done.returncode == (int(status[1]) if status else 0), (command, done.returncode, done.stdout)
    at = 0
    lines = done.stdout.splitlines()
    for line in filter(str.strip, expected):
        if line.strip() == "...":
            continue
        pattern = re.compile(_pattern(line))
        found = next((number for number in range(at, len(lines)) if pattern.search(lines[number])), None)
        assert found is not None, f"{command}\n  has no line {line!r} after line {at} of\n{done.stdout}"
        at = found + 1


def what_it_says_is_what_happens(binary):
    need(PYTHON, "pytest")
    ran = 0
    with folder() as place:
        commands = place / "commands"
        commands.mkdir()
        os.symlink(pathlib.Path(binary).resolve(), commands / "lowtide")
        os.symlink(PYTHON, commands / "python3")
        environment = settings(binary, PATH=f"{commands}:{os.environ['PATH']}", PYTEST_PLUGINS="lowtide.pytest_plugin", NO_COLOR="1")
        job = place / "job"
        job.mkdir()
        for kind, block in _blocks(TUTORIAL.read_text()):
            if kind == "python":
                named = re.match(r"# (\S+\.py)\n", block)
                if named:
                    (job / named[1]).write_text(block)
                continue
            for command, expected in _commands(block):
                _run(command, expected, job, environment)
                ran += 1
    assert ran >= 5, f"{HERE}: only {ran} commands"


if __name__ == "__main__":
    sys.exit(main(globals(), lambda test, words: test(words.binary), binary=str))

"""Runs the declarative cases under tests/cases against the built binary.

    run_cases.py --binary build/dev/src/cli/lowtide [--update-golden] [FILE[:SLUG] ...]
    run_cases.py --list             what there is, one FILE:SLUG a line

A case is a block of lines that starts with NAME and says what a person would see:

    NAME        an empty file is reported in three lines
    RUN         : > empty.log; lowtide analyze empty.log
    EXPECT      a piece of standard output             EXPECT_NOT      must not be there
    EXPECT_ERR  a piece of standard error              EXPECT_ERR_NOT  must not be there
    JSON        verdict.kind == "warmup"               also != < <= > >= in; several values make a list
    GOLDEN      analyze/production.txt                 standard output is this file under tests/golden
    STDERR_LINES 3                                     standard error has so many lines
    REQUIRES    root                                   also not-root, unsanitized, or a program
    EXIT        3                                      mandatory

RUN goes to a shell in an empty folder with the binary first in PATH and
tests/data as $DATA. A line that starts with blanks continues the one before; a
line that starts with # is a comment. A case whose REQUIRES is not met is skipped
loudly, with exit status 77.
"""

from __future__ import annotations

import argparse
import difflib
import json
import operator
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from functions import is_sanitized

TESTS = pathlib.Path(__file__).resolve().parent
KEYS = {"NAME", "RUN", "EXPECT", "EXPECT_NOT", "EXPECT_ERR", "EXPECT_ERR_NOT", "JSON", "GOLDEN", "STDERR_LINES",
        "REQUIRES", "EXIT"}
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "in": lambda value, wanted: value in wanted,
}
SKIPPED = 77
# A command that hangs must end. No case is a measurement of time: a loaded machine may stop for many seconds.
LIMIT_SECONDS = 120


class Case:
    def __init__(self, path: pathlib.Path, line: int) -> None:
        self.path, self.line = path, line
        self.fields: list[tuple[str, str]] = []

    def all(self, key: str) -> list[str]:
        return [value for name, value in self.fields if name == key]

    def find(self, key: str) -> str | None:
        values = self.all(key)
        if len(values) > 1:
            raise SystemExit(f"{self.path}:{self.line}: {key} is given twice")
        return values[0] if values else None

    def one(self, key: str) -> str:
        value = self.find(key)
        if value is None:
            raise SystemExit(f"{self.path}:{self.line}: {key} is missing")
        return value

    @property
    def slug(self) -> str:
        return re.sub(r"[^a-z0-9]+", "_", self.one("NAME").lower()).strip("_")[:80]


def read_cases(path: pathlib.Path) -> list[Case]:
    cases: list[Case] = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line[0] in " \t":
            if not cases:
                raise SystemExit(f"{path}:{number}: nothing to continue")
            name, value = cases[-1].fields[-1]
            cases[-1].fields[-1] = (name, value + "\n" + line.strip())
            continue
        key, _, value = line.partition(" ")
        if key not in KEYS:
            raise SystemExit(f"{path}:{number}: there is no {key}")
        if key == "NAME":
            cases.append(Case(path, number))
        if not cases:
            raise SystemExit(f"{path}:{number}: a case starts with NAME")
        cases[-1].fields.append((key, value.strip()))
    for case in cases:
        for key in ("RUN", "EXIT"):
            case.one(key)
    slugs = [case.slug for case in cases]
    for slug in slugs:
        if slugs.count(slug) > 1:
            raise SystemExit(f"{path}: two cases are named {slug}")
    return cases


def unmet(case: Case, binary: pathlib.Path) -> str | None:
    for need in " ".join(case.all("REQUIRES")).split():
        if need == "root":
            met = os.geteuid() == 0
        elif need == "not-root":
            met = os.geteuid() != 0
        elif need == "unsanitized":  # a sanitizer needs address space without bound, and /proc
            met = not is_sanitized(binary)
        else:
            met = shutil.which(need) is not None
        if not met:
            return need
    return None


def json_values(text: str) -> Any:
    """One JSON value, or a list of those that follow each other."""
    decoder = json.JSONDecoder(parse_constant=refuse_constant)
    values: list[Any] = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        value, at = decoder.raw_decode(text, at)
        values.append(value)
    return values[0] if len(values) == 1 else values


def refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def json_problem(check: str, root: Any) -> str | None:
    hit = re.fullmatch(r"(\S+)\s+(==|!=|<=|>=|<|>|in)\s+(.+)", check)
    if not hit:
        return f"cannot read the check: {check}"
    path, comparison, literal = hit.groups()
    value = root
    for key, index in re.findall(r"([A-Za-z_][A-Za-z_0-9]*)|\[(-?\d+)\]", path):
        try:
            if key == "length" and not isinstance(value, dict):
                value = len(value)
            else:
                value = value[key] if key else value[int(index)]
        except (KeyError, IndexError, TypeError):
            return f"{check}: there is no {path}"
    wanted = json.loads(literal)
    try:
        met = COMPARISONS[comparison](value, wanted)
    except TypeError:
        met = False
    return None if met else f"{check}: it is {json.dumps(value)}"


def golden_problems(name: str, actual: str, update: bool) -> list[str]:
    path = TESTS / "golden" / name
    if update:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(actual)
        return []
    if not path.exists():
        return [f"{path} is missing; LOWTIDE_UPDATE_GOLDEN=1 writes it"]
    expected = path.read_text()
    if expected == actual:
        return []
    return ["\n".join(difflib.unified_diff(expected.splitlines(), actual.splitlines(), str(path), "actual", lineterm=""))]


def environment(binary: pathlib.Path, folder: str) -> dict[str, str]:
    # What the user's shell happens to have must not decide whether a test passes.
    keep = {name: value for name, value in os.environ.items()
            if name not in ("NO_COLOR", "COLUMNS", "LANG", "TERM") and not name.startswith("LC_")}
    return keep | {"PATH": f"{binary.parent}:{os.environ['PATH']}", "DATA": str(TESTS / "data"), "HOME": folder,
                   "LC_ALL": "C.UTF-8", "TERM": "xterm"}


def run(case: Case, binary: pathlib.Path, update: bool) -> tuple[list[str], str, str]:
    with tempfile.TemporaryDirectory(prefix="lowtide-case-") as folder:
        os.chmod(folder, 0o755)  # cases that drop their rights must get in
        process = subprocess.Popen(["sh", "-c", case.one("RUN")], cwd=folder, env=environment(binary, folder),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True)
        try:
            raw_out, raw_err = process.communicate(timeout=LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return [f"still running after {LIMIT_SECONDS} s"], "", ""
    out, err = raw_out.decode(errors="replace"), raw_err.decode(errors="replace")

    problems = []
    if process.returncode != int(case.one("EXIT")):
        problems.append(f"exit status {process.returncode}, not {case.one('EXIT')}")
    for key, text, wanted in (("EXPECT", out, True), ("EXPECT_NOT", out, False), ("EXPECT_ERR", err, True),
                              ("EXPECT_ERR_NOT", err, False)):
        for piece in case.all(key):
            if (piece in text) != wanted:
                problems.append(f"{key}  {piece}")
    lines = case.find("STDERR_LINES")
    if lines is not None and len(err.splitlines()) != int(lines):
        problems.append(f"standard error has {len(err.splitlines())} lines, not {lines}")
    if case.all("JSON"):
        try:
            root = json_values(out)
            problems += [problem for check in case.all("JSON") if (problem := json_problem(check, root))]
        except ValueError as error:
            problems.append(f"standard output is no JSON: {error}")
    for name in case.all("GOLDEN"):
        problems += golden_problems(name, out, update)
    return problems, out, err


def shortened(text: str, most: int = 2000) -> str:
    return text if len(text) <= most else text[:most] + f"\n... and {len(text) - most} characters more"


def selected(words: list[str]) -> Iterator[Case]:
    for word in words or sorted(str(path) for path in (TESTS / "cases").glob("*.case")):
        name, _, slug = word.partition(":")
        path = pathlib.Path(name) if os.path.exists(name) else TESTS / "cases" / name
        found = [case for case in read_cases(path) if not slug or case.slug == slug]
        if not found:
            raise SystemExit(f"there is no case {word}")
        yield from found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=pathlib.Path)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--update-golden", action="store_true", default=bool(os.environ.get("LOWTIDE_UPDATE_GOLDEN")))
    parser.add_argument("cases", nargs="*", metavar="FILE[:SLUG]")
    options = parser.parse_args()
    if options.list:
        for case in selected(options.cases):
            print(f"{case.path.name}:{case.slug}")
        return 0
    if not options.binary:
        parser.error("--binary is needed to run cases")

    passed, failed, skipped = 0, 0, 0
    for case in selected(options.cases):
        where = f"{case.path.name}:{case.line}: {case.one('NAME')}"
        if need := unmet(case, options.binary):
            print(f"SKIPPED {where}: needs {need}")
            skipped += 1
            continue
        problems, out, err = run(case, options.binary.resolve(), options.update_golden)
        if not problems:
            print(f"ok      {where}")
            passed += 1
            continue
        failed += 1
        print(f"FAILED  {where}")
        for problem in problems:
            print(f"  {problem}")
        print(f"  the command: {case.one('RUN')}")
        for name, text in (("standard output", out), ("standard error", err)):
            print(f"  {name}:" + "".join(f"\n    | {line}" for line in shortened(text).splitlines()))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    if failed:
        return 1
    return SKIPPED if skipped and not passed else 0


if __name__ == "__main__":
    sys.exit(main())

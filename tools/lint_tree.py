"""Checks what no compiler looks at: sizes, stray paths, host names, links, the changelog.

usage: lint_tree.py                  all checks; prints file:line: finding, exit 1 if any
       lint_tree.py --list SUFFIX..  the files of the tree that end so (.sh also: by shebang)
"""

import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parent.parent

MAX_LINES = 800
MAX_BYTES = 512 * 1024
CODE = {".cpp", ".h", ".py", ".sh", ".cmake", ".txt", ".json", ".md", ""}
# As long as they are.
GIVEN = {"LICENSE", "web/package-lock.json"}
# What is there as input for a test is exempt: it is somebody else's bytes.
DATA = ("tests/data/", "tests/cases/", "tests/fuzz/", "tests/golden/", "tests/fixtures/", "docs/examples/", "bench/data/")

# Where packages come from is the business of the machine, not of the project.
REGISTRIES = re.compile(
    r"pypi\.org|pythonhosted\.org|npmjs\.org|docker\.io|ghcr\.io|quay\.io|gcr\.io|pkg\.dev|crates\.io"
    r"|deb\.debian\.org|archive\.ubuntu\.com|ports\.ubuntu\.com|anaconda\.org|artifactory|nexus\."
)
# /home, /root and the like belong to one machine. Documents may say ~ or $HOME.
MACHINE_PATHS = re.compile(r"(?<![\w.}*])/(?:home|root|work|Users)/\w")
BARE_TODO = re.compile(r"\b(?:TODO|FIXME|XXX)\b(?!\(#\d+\))")


def tree() -> list[str]:
    """The files of the project: what git has or would add; without git, everything but builds."""
    try:
        output = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT, capture_output=True, check=True,
        ).stdout.decode()
        names = [name for name in output.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        names = []
        for folder, folders, files in os.walk(ROOT):
            folders[:] = [name for name in folders if name not in ("build", "dist", ".git", "__pycache__")]
            names += [os.path.relpath(os.path.join(folder, name), ROOT) for name in files]
    return sorted(name for name in set(names) if (ROOT / name).is_file())


def written(lines: list[str]) -> list[str]:
    """Without the parts of a document that are made from tables."""
    out, is_made = [], False
    for line in lines:
        is_made = is_made or (line.startswith("<!-- made ") and line.endswith(": begin -->"))
        if not is_made:
            out.append(line)
        is_made = is_made and not line.endswith(": end -->")
    return out


def check_file(name: str) -> Iterator[tuple[int, str]]:
    path = ROOT / name
    data = path.read_bytes()
    is_data = name.startswith(DATA)
    if len(data) > MAX_BYTES:
        yield 1, f"{len(data)} bytes; generate it or make it smaller (limit {MAX_BYTES})"
    if is_data:
        return
    if b"\0" in data:
        yield 1, "is binary; only test inputs may be"
        return
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        yield 1, f"is not UTF-8: {error.reason} at byte {error.start}"
        return
    lines = text.splitlines()
    if path.suffix in CODE and name not in GIVEN and len(written(lines)) > MAX_LINES:
        yield len(lines), f"more than {MAX_LINES} lines: split it by job"
    if text and not text.endswith("\n"):
        yield len(lines), "no newline at the end"
    this_file = name == "tools/lint_tree.py"
    for number, line in enumerate(lines, 1):
        if line != line.rstrip():
            yield number, "blanks at the end of the line"
        if this_file:
            continue
        if registry := REGISTRIES.search(line):
            yield number, f"names a registry: {registry[0]}"
        if MACHINE_PATHS.search(line) or str(ROOT) in line:
            yield number, "a path of one machine"
        if BARE_TODO.search(line):
            yield number, "a TODO without its issue: TODO(#123)"
    if path.suffix == ".md":
        yield from check_links(path, lines)


def check_links(path: pathlib.Path, lines: list[str]) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(lines, 1):
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", line):
            if not re.match(r"[a-z]+:", target) and not (path.parent / target).exists():
                yield number, f"a link to {target}, which is not there"


def check_changelog() -> Iterator[str]:
    path = ROOT / "CHANGELOG.md"
    if not path.exists():
        yield "CHANGELOG.md:1: is not there"
        return
    section = re.search(r"^## \[?Unreleased\]?[^\n]*\n(.*?)(?=^## |\Z)", path.read_text(), re.M | re.S)
    if not section or not re.search(r"^- \S", section[1], re.M):
        yield "CHANGELOG.md:1: no entry under Unreleased: say there what users will notice"


def check_modes() -> Iterator[str]:
    for name in ("dev", ".ci/run"):
        if not os.access(ROOT / name, os.X_OK):
            yield f"{name}:1: is not executable"


def is_shell(name: str) -> bool:
    path = ROOT / name
    if path.suffix:
        return path.suffix == ".sh"
    with path.open("rb") as file:
        return bool(re.match(rb"#!.*\b(ba|da)?sh\b", file.readline(80)))


def main() -> int:
    names = tree()
    if sys.argv[1:2] == ["--list"]:
        suffixes = tuple(sys.argv[2:])
        for name in names:
            if name.startswith(DATA):
                continue
            if name.endswith(suffixes) or (".sh" in suffixes and is_shell(name)):
                print(name)
        return 0
    findings = [f"{name}:{number}: {text}" for name in names for number, text in check_file(name)]
    findings += [*check_changelog(), *check_modes()]
    for finding in findings:
        print(f"{finding}   error:")
    print(f"{len(names)} files, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())

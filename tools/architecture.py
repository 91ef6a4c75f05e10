"""The table of folders in docs/architecture.md, made from the ABOUT, ROOMS and DEPS of src/*/CMakeLists.txt.

usage: architecture.py BUILD_DIR            exit 1 if the table is stale, or if a folder has no line
       architecture.py BUILD_DIR --update   writes the table
"""

from __future__ import annotations

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- made by tools/architecture.py: begin -->\n", "<!-- made by tools/architecture.py: end -->\n"


def read_lines(path: pathlib.Path) -> dict[str, str]:
    pairs = (line.partition(":") for line in path.read_text().splitlines() if line)
    return {name.strip(): text.strip() for name, _, text in pairs}


def levels_of(deps: dict[str, list[str]]) -> dict[str, int]:
    """A folder stands one level above the highest folder that it includes."""
    levels: dict[str, int] = {}
    for name in deps:  # CMake adds the lowest first
        levels[name] = 1 + max((levels[below] for below in deps[name]), default=-1)
    return levels


def make_table(about: dict[str, str], deps: dict[str, list[str]]) -> str:
    levels = levels_of(deps)
    rows = ["| level | folder | what it is for | may include |", "|---|---|---|---|"]
    for name in sorted(deps, key=lambda name: (levels[name], name)):
        rows.append(f"| {levels[name]} | `{name}` | {about[name]} | {', '.join(deps[name]) or '-'} |")
        for room in (room for room in about if room.startswith(name + "/")):
            rows.append(f"| | `{room}` | {about[room]} | |")
    return "\n".join(rows) + "\n"


def folders_without_line(about: dict[str, str]) -> list[str]:
    folders = (path.relative_to(ROOT / "src") for path in (ROOT / "src").rglob("*") if path.is_dir())
    return sorted(str(path) for path in folders
                  if path.name not in ("testing", "__pycache__") and str(path) not in about)


def main() -> int:
    build = pathlib.Path(sys.argv[1])
    about = read_lines(build / "folders.txt")
    deps = {name: text.replace(";", " ").split() for name, text in read_lines(build / "layers.txt").items()}
    if missing := folders_without_line(about):
        print(f"no ABOUT or ROOMS line for {', '.join(missing)}; add it to the CMakeLists.txt of the folder")
        return 1
    text = DOCUMENT.read_text()
    made = re.sub(re.escape(BEGIN) + ".*?" + re.escape(END), lambda _: BEGIN + make_table(about, deps) + END, text, flags=re.S)
    if made == text:
        return 0
    if "--update" in sys.argv[2:]:
        DOCUMENT.write_text(made)
        return 0
    print("docs/architecture.md does not match src/*/CMakeLists.txt; try: tools/architecture.py build/dev --update")
    return 1


if __name__ == "__main__":
    sys.exit(main())

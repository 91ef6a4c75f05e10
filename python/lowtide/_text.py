"""Text of a report as it is shown to people.

File names, variables and source lines come from the watched job. Control characters and invisible characters in them are
escaped, so that they cannot move the cursor or reorder a line. A notebook cell has a file name that nobody recognises
(`/tmp/ipykernel_7/2257364082.py`); where IPython knows its number, the text says `cell [3], line 3` instead.
"""

from __future__ import annotations

import os
import re
import sys

_TERMINAL_CELL = re.compile(r"<ipython-input-(\d+)-[0-9a-f]+>(?::(\d+))?")


def readable(text: str) -> str:
    """`text` with notebook cells by their numbers, and without characters that a terminal interprets."""
    return printable(name_cells(text))


def printable(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() or one == "\n" else _escaped(one) for one in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def name_cells(text: str) -> str:
    """Replaces the file names of notebook cells by `cell [3], line 3`."""
    if "<ipython-input-" in text:
        text = _TERMINAL_CELL.sub(lambda hit: _cell(hit[1], hit[2]), text)
    numbers = _cell_numbers()
    names = [name for name in numbers if name in text]
    if not names:
        return text
    pattern = re.compile(r"""(?:[^\s"'`()]*/)?(?<![\w.-])(""" + "|".join(map(re.escape, names)) + r")(?![\w-])(?::(\d+))?")
    return pattern.sub(lambda hit: _cell(numbers[hit[1]], hit[2]), text)


def _cell(number: str | int, line: str | None) -> str:
    return f"cell [{number}]" if line is None else f"cell [{number}], line {line}"


def _cell_numbers() -> dict[str, int]:
    """The cells of this notebook: file name without its folder -> execution number."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    # IPython has no public list of them; its own tracebacks read this one.
    cells = getattr(getattr(shell, "compile", None), "_filename_map", None)
    if not isinstance(cells, dict):
        return {}
    return {os.path.basename(path): number for path, number in cells.items()
            if isinstance(path, str) and isinstance(number, int) and not path.startswith("<")}

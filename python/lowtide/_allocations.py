"""The lines that allocated memory, for the message of a test that failed."""

from __future__ import annotations

import sysconfig
from collections import defaultdict
from typing import Any, NamedTuple

from lowtide._report import Report
from lowtide._text import readable
from lowtide._units import format_bytes

_MOST_LINES = 3


def site_lines(report: Report, least_bytes: float) -> list[str]:
    """The lines whose live memory grew by more than `least_bytes` during the recording."""
    return [readable(f"  allocated at {_place(one)}: +{format_bytes(one['growth_bytes'])} in use")
            for one in report.sites[:_MOST_LINES] if one["growth_bytes"] > least_bytes and one["live_samples"] > 1]


def _place(site: Any) -> str:
    frames, at = site.get("frames") or [], site.get("act_on") or 0
    return f"{frames[at]['file']}:{frames[at]['line']}" if at < len(frames) else "an unknown line"


def lines_of_peak(recording: str | None, from_s: float, least_bytes: float) -> list[str]:
    """The lines with the most memory in use at any moment after `from_s`, also if it was freed later."""
    return [f"  allocated at {place}: up to {format_bytes(size)} in use"
            for place, size in _largest(recording, from_s, "max(high_bytes)", least_bytes)]


def lines_of_growth(recording: str | None, from_s: float, least_bytes: float) -> list[str]:
    """The lines whose memory in use grew from `from_s` to the end."""
    return [f"  allocated at {place}: +{format_bytes(size)} in use"
            for place, size in _largest(recording, from_s, "max(at_s), low_bytes", least_bytes)]


def _largest(recording: str | None, from_s: float, chosen: str, least_bytes: float) -> list[tuple[str, int]]:
    """Lines with their bytes. `chosen`: what to select of the readings of a site from `from_s` on. SQLite takes other
    columns from the row that has the maximum."""
    if recording is None:
        return []
    import sqlite3

    from lowtide._recording import Recording

    try:
        opened = Recording(recording)
        before = opened.rows("SELECT site, max(at_s), low_bytes FROM site_memory WHERE at_s <= ? GROUP BY site", [from_s])
        after = opened.rows(f"SELECT site, {chosen} FROM site_memory WHERE at_s > ? GROUP BY site", [from_s])
        frames = opened.rows("SELECT site, language, function, file, line FROM frame ORDER BY site, depth")
    except (OSError, ValueError, sqlite3.Error):
        return []
    stacks: dict[int, list[_Frame]] = defaultdict(list)
    for site, *frame in frames:
        stacks[site].append(_Frame(*frame))
    earlier = {row[0]: int(row[-1] or 0) for row in before}
    sizes: dict[str, int] = defaultdict(int)
    for row in after:
        sizes[readable(_own_place(stacks[row[0]]))] += int(row[-1] or 0) - earlier.get(row[0], 0)
    largest = sorted(sizes.items(), key=lambda one: -one[1])[:_MOST_LINES]
    return [one for one in largest if one[1] > least_bytes]


class _Frame(NamedTuple):
    language: str
    function: str
    file: str
    line: int


def _own_place(stack: list[_Frame]) -> str:
    """The innermost line of the test's own code; of a library if there is none."""
    python = [frame for frame in stack if frame.language == "python" and frame.file]
    for frame in [*(one for one in python if not _is_installed(one.file)), *python][:1]:
        return f"{frame.file}:{frame.line}"
    return next((f"{frame.function} (native code)" for frame in stack if frame.function), "an unknown line")


def _is_installed(file: str) -> bool:
    folders = (sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"))
    return "/site-packages/" in file or "/dist-packages/" in file or file.startswith(folders) or (
        file.startswith("<") and file not in ("<string>", "<stdin>"))

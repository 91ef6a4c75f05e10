"""The arguments of `lowtide.watch()` that become flags of the program.

They are checked before anything starts. A wrong argument is a mistake in the script, so it raises an error at the call.
Any later failure is logged, and the training continues without a watch.
"""

from __future__ import annotations

import os
from typing import SupportsFloat

from lowtide._units import parse_seconds, parse_size

_INTERVAL_S = (0.01, 3600.0)  # the bounds of --interval (src/watch/flags.cpp)
_LEAST_LIMIT_BYTES = 1_000_000  # the bound of --limit


def interval_flags(interval: str | SupportsFloat | None) -> list[str]:
    """--interval. Raises ValueError or TypeError for a value that the program would refuse."""
    if interval is None:
        return []
    seconds = parse_seconds(interval, "interval")
    if not _INTERVAL_S[0] <= seconds <= _INTERVAL_S[1]:
        raise ValueError(f"lowtide: interval={interval!r} is out of range\n  why:  it is a time from 10 ms to 1 h\n"
                         '  try:  interval="500ms", or interval=0.5 for a number of seconds')
    return ["--interval", f"{seconds:.6f}s"]


def limit_flags(limit: str | SupportsFloat | None) -> list[str]:
    """--limit. Raises ValueError or TypeError for a value that the program would refuse."""
    if limit is None:
        return []
    size = parse_size(limit, "limit")
    if size < _LEAST_LIMIT_BYTES:
        raise ValueError(f"lowtide: limit={limit!r} is out of range\n  why:  it is a size of at least 1 MB\n"
                         '  try:  limit="20GB", or limit=20e9 for a number of bytes')
    return ["--limit", f"{size}B"]


def check_recording(recording: str | os.PathLike[str] | None) -> None:
    """Raises TypeError for anything but a path, and ValueError for a folder."""
    if recording is None:
        return
    if not isinstance(recording, (str, os.PathLike)):
        raise TypeError(f"lowtide: recording={recording!r} is not a path\n"
                        f"  why:  it is of type {type(recording).__name__}\n"
                        '  try:  recording="job.lowtide"')
    if os.path.isdir(recording):
        raise ValueError(f"lowtide: recording={os.fspath(recording)!r} is a folder\n"
                         "  why:  a recording is one file\n"
                         f"  try:  recording={os.path.join(os.fspath(recording), 'job.lowtide')!r}")

"""Every function of a file whose name does not begin with an underscore is a test.

usage of such a file: FILE [--list | OPTIONS [--rounds N] [NAME...]]
"""

from __future__ import annotations

import argparse
import inspect
import os
import pathlib
import re
import select
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from typing import IO, Any

Test = Callable[..., object]
Run = Callable[[Any, argparse.Namespace], object]

SKIPPED = 77
LIMIT_S = 60  # what takes longer than this, on a machine that is merely busy, hangs


class Skip(Exception):
    """What this machine lacks."""


def is_sanitized(binary: str | pathlib.Path) -> bool:
    # Not __asan_init: lowtide looks for that in others, and has its name.
    return re.search(rb"__asan_report_load8|__tsan_write8", pathlib.Path(binary).read_bytes()) is not None


def wait_until(condition: Callable[[], Any], what: str | Callable[[], str], limit_s: float = LIMIT_S) -> Any:
    """Waits until condition() is true, and returns its value. `what` names the event, or is a function that describes it."""
    until = time.monotonic() + limit_s
    while True:
        if value := condition():
            return value
        if time.monotonic() > until:
            raise AssertionError(f"waited {limit_s} s for {what() if callable(what) else what}")
        time.sleep(0.01)


def read_line(stream: IO[Any], what: str = "a line of the job", limit_s: float = LIMIT_S) -> Any:
    """Reads one line from a pipe; a job that stays silent fails the test instead of blocking it."""
    lines: list[Any] = []
    reader = threading.Thread(target=lambda: lines.append(stream.readline()), daemon=True)
    reader.start()
    reader.join(limit_s)
    assert lines, f"waited {limit_s} s for {what}"
    return lines[0]


def read_piece(stream: IO[Any], size: int, what: str = "output of the job", limit_s: float = LIMIT_S) -> bytes:
    """What a pipe has by now, at most so many bytes; b"" at its end. Not to be mixed with reads of the stream itself."""
    ready, _, _ = select.select([stream], [], [], limit_s)
    assert ready, f"waited {limit_s} s for {what}"
    return os.read(stream.fileno(), size)


def stat_of(pid: int) -> list[str]:
    """The fields of /proc/PID/stat from the state on, or [] where there is no such process."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


def state_of(pid: int) -> str:
    """The letter in /proc/PID/stat, or "" where there is no such process."""
    return (stat_of(pid) or [""])[0]


def children_of(pid: int) -> list[int]:
    """Of its main thread."""
    try:
        return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def age_of(pid: int) -> float:
    """Seconds since the process was started, as the kernel counts them."""
    up_s = float(pathlib.Path("/proc/uptime").read_text().split()[0])
    return up_s - int(stat_of(pid)[19]) / os.sysconf("SC_CLK_TCK")


def cpu_ticks_of(pid: int) -> int:
    """Processor time that a process has used, in clock ticks."""
    fields = stat_of(pid)
    return int(fields[11]) + int(fields[12]) if fields else 0


def main(module: Mapping[str, Any], run: Run, **options: Callable[[str], Any]) -> None:
    """Calls `run(test, words)` for the functions of the module, in their order; `options` are names and types."""
    tests: dict[str, Test] = {
        name: thing for name, thing in module.items()
        if inspect.isfunction(thing) and thing.__module__ == "__main__" and not name.startswith("_")
    }
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--rounds", type=int, default=20)
    for name, kind in options.items():
        parser.add_argument(f"--{name}", type=kind)
    parser.add_argument("names", nargs="*")
    words = parser.parse_args()
    if words.list:
        print("\n".join(tests))
        return
    for name in options:
        if getattr(words, name) is None:
            parser.error(f"--{name} is needed to run tests")
    counts = {"ok": 0, "failed": 0, "skipped": 0}
    for name in words.names or tests:
        began = time.monotonic()
        result = _result_of(run, tests[name], words)
        counts[result] += 1
        print(f"{result:8}{name}  {time.monotonic() - began:.1f} s", flush=True)
    print(f"{counts['ok']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    if counts["failed"]:
        sys.exit(1)
    sys.exit(SKIPPED if counts["skipped"] and not counts["ok"] else 0)


def _result_of(run: Run, test: Test, words: argparse.Namespace) -> str:
    try:
        run(test, words)
    except Skip as why:
        print(f"SKIPPED {test.__name__}: {why}")
        return "skipped"
    except Exception:
        traceback.print_exc()
        return "failed"
    return "ok"

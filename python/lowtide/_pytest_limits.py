"""The marks limit_memory (the peak of a test) and limit_leaks (what is still in use after it)."""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable
from typing import Any

import pytest

from lowtide._allocations import lines_of_growth, lines_of_peak
from lowtide._pytest_marks import LeakRule, recording_lines, recording_of, remove_recording
from lowtide._readings import own_bytes
from lowtide._text import readable
from lowtide._units import format_bytes


def status_bytes(name: str) -> int:
    """A field of /proc/self/status; 0 if it cannot be read."""
    try:
        with open("/proc/self/status") as file:
            return next((int(line.split()[1]) * 1024 for line in file if line.startswith(name)), 0)
    except OSError:
        return 0


def reset_peak() -> bool:
    """Sets the kernel's peak of this process (VmHWM) to its current memory."""
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
        return True
    except OSError:
        return False


def memory_limited(item: pytest.Function, test: Callable[..., Any], limit: int) -> Callable[..., Any]:
    @functools.wraps(test)
    def measured(*arguments: Any, **named: Any) -> None:
        from lowtide._watch import watch

        watched = watch(recording_of(item), interval="20ms", quiet=True)
        is_reset, before, tree_before, began_s = reset_peak(), status_bytes("VmRSS"), watched.tree_bytes(), watched.now_s()
        try:
            test(*arguments, **named)
        finally:
            peak = status_bytes("VmHWM" if is_reset else "VmRSS") - before
            watched.stop()
        tree_peak = _tree_peak(watched.recording, began_s)
        if tree_peak is not None and tree_before is not None:
            peak = max(peak, tree_peak - tree_before)
        if peak > limit:
            lines = [f"the test used {format_bytes(peak)} at its peak; the limit is {format_bytes(limit)}",
                     *lines_of_peak(watched.recording, began_s, limit / 10)]
            if len(lines) == 1:
                lines.append("  allocated at: no line was sampled; the memory was freed too soon, or no agent was loaded")
            pytest.fail("\n".join([*lines, *recording_lines(watched)]), pytrace=False)
        remove_recording(watched)

    return measured


def leak_limited(item: pytest.Function, test: Callable[..., Any], rule: LeakRule) -> Callable[..., Any]:
    @functools.wraps(test)
    def measured(*arguments: Any, **named: Any) -> None:
        from lowtide._summary import holders_of_growth
        from lowtide._watch import watch

        watched = watch(recording_of(item), interval="20ms", quiet=True)
        try:
            for _ in range(rule.warmups):
                test(*arguments, **named)
            watched.snapshot()  # the last one is compared with it
            before, began_s = _bytes_in_use(), watched.now_s()
            test(*arguments, **named)
            leaked = _bytes_in_use() - before
        finally:
            watched.stop()
        if leaked > rule.size:
            report = watched.report()
            lines = [f"{format_bytes(leaked)} is still in use after the test; the limit is {format_bytes(rule.size)}",
                     *lines_of_growth(watched.recording, began_s, leaked / 10)]
            lines += [readable(f"  held by {one['path']} ({one['type']}): +{format_bytes(one['growth_bytes'] or 0)}")
                      for one in holders_of_growth(report, leaked)[:2]]
            pytest.fail("\n".join([*lines, *recording_lines(watched)]), pytrace=False)
        remove_recording(watched)

    return measured


def _bytes_in_use() -> int:
    """Memory of this process without garbage and without free memory kept by the allocator."""
    from lowtide.cleanup import malloc_trim

    gc.collect()
    malloc_trim()
    return own_bytes()


def _tree_peak(recording: str | None, from_s: float) -> int | None:
    if recording is None:
        return None
    import sqlite3

    from lowtide._recording import Recording

    try:
        (peak,), = Recording(recording).rows("SELECT max(high_bytes) FROM target_memory WHERE at_s >= ?", [from_s])
        return None if peak is None else int(peak)
    except (OSError, ValueError, sqlite3.Error):
        return None

"""lowtide.judge(series): the verdict of numbers that you have already.

The mathematics are the program's (src/judge). With the compiled module they run here; a checkout without it asks the
program.
"""

from __future__ import annotations

import dataclasses
import json
import statistics
from array import array
from collections.abc import Iterable
from typing import Any

from lowtide._command import ask
from lowtide._report import Verdict

_NOT_KNOWN = float("nan")


def _numbers(values: Any) -> array[float]:
    """Lists, numpy and pandas alike; what is missing is not a number."""
    if hasattr(values, "to_numpy"):
        values = values.to_numpy(dtype="float64", na_value=_NOT_KNOWN)
    if hasattr(values, "tolist"):
        values = values.tolist()
    return array("d", (_NOT_KNOWN if value is None else float(value) for value in values))


def _axes_of(series: Any) -> tuple[Any, Any]:
    """Steps or seconds that a pandas Series has as its index; one that only counts says nothing."""
    index = getattr(series, "index", None)
    if index is None or callable(index) or type(index).__name__ == "RangeIndex":
        return None, None
    kind = getattr(getattr(index, "dtype", None), "kind", "")
    if kind == "M":
        return None, (index - index[0]).total_seconds()
    if kind == "m":
        return None, index.total_seconds()
    return (index, None) if kind in "iuf" and kind else (None, None)


def judge(series: Iterable[float] | Any, *, steps: Iterable[float] | Any = None, seconds: Iterable[float] | Any = None,
          running: bool = False) -> Verdict:
    """Is it a leak? `series` are bytes, in order: a list, an array, a pandas Series (its index, unless it only counts,
    is the step, or the time). `steps` and `seconds` are as long. A reading that is missing is None or NaN.

    running   the run goes on: judged as the monitor would, in doubt for longer
    """
    values = _numbers(series)
    found_steps, found_seconds = _axes_of(series)
    step_axis = _numbers(steps if steps is not None else found_steps) if steps is not None or found_steps is not None else None
    time_axis = (_numbers(seconds if seconds is not None else found_seconds)
                 if seconds is not None or found_seconds is not None else None)
    for axis, name in ((step_axis, "steps"), (time_axis, "seconds")):
        if axis is not None and len(axis) != len(values):
            raise ValueError(f"{len(values)} readings and {len(axis)} {name}")
    try:
        from lowtide._native import judge as native
    except ImportError:
        told = _asked(values, step_axis, time_axis, running)
    else:
        nothing = array("d")
        told = json.loads(native(values, step_axis or nothing, time_axis or nothing, running))
    across: Iterable[float] = step_axis if told["axis"] == "step" and step_axis else time_axis or range(len(values))
    return dataclasses.replace(Verdict.from_json(told), curve=tuple(zip(across, values)))


def _asked(values: array[float], steps: array[float] | None, seconds: array[float] | None, running: bool) -> Any:
    def known(numbers: Iterable[float]) -> list[float | None]:
        return [number if number == number else None for number in numbers]

    line: dict[str, Any] = {"id": 0, "t": known(seconds) if seconds is not None else [None] * len(values),
                            "rss_mb": known(value / 1e6 for value in values)}
    if steps is not None:
        line["step"] = known(steps)
    told = json.loads(ask(["analyze", "--series", "-", "--json", *(["--running"] if running else [])],
                          text=json.dumps(line) + "\n"))
    return told["verdict"]


def floor_trend(series: Iterable[float]) -> float:
    """The trend of the floor of these readings, in bytes over all of them (src/judge/floor_trend.h)."""
    values = _numbers(series)
    try:
        from lowtide._native import floor_trend as native
    except ImportError:
        return _floor_trend(values)
    return float(native(values))


def _floor_trend(values: array[float]) -> float:
    """The same for a checkout without the compiled module; tests/package compares the two."""
    width = max(2, -(-len(values) // 24))
    floors = [min(values[at:at + width]) for at in range(0, len(values) - width + 1, width)]
    slopes = [(later - earlier) / (width * apart) for number, earlier in enumerate(floors)
              for apart, later in enumerate(floors[number + 1:], 1)]
    return statistics.median(slopes) * len(values) if slopes else 0.0

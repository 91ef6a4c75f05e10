"""lowtide.judge(series): the verdict on readings that you already have.

The mathematics are those of the program (src/judge). The compiled module runs them in this process; a checkout without the
module calls the program.
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
    """Numbers from a list, numpy or pandas; a missing value becomes NaN."""
    if hasattr(values, "to_numpy"):
        values = values.to_numpy(dtype="float64", na_value=_NOT_KNOWN)
    if hasattr(values, "tolist"):
        values = values.tolist()
    return array("d", (_NOT_KNOWN if value is None else float(value) for value in values))


def _axes_of(series: Any) -> tuple[Any, Any]:
    """Steps or seconds from the index of a pandas Series. A RangeIndex is neither."""
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
    """The verdict on a series of memory readings in bytes.

    series    a list, an array or a pandas Series, whose index is the step or the time unless it is a RangeIndex; a missing
              reading is None or NaN
    steps     the step of each reading
    seconds   the time of each reading
    running   True: the job still runs, so the verdict stays inconclusive for longer, as in the monitor
    """
    values = _numbers(series)
    found_steps, found_seconds = _axes_of(series)
    step_axis = _numbers(steps if steps is not None else found_steps) if steps is not None or found_steps is not None else None
    time_axis = (_numbers(seconds if seconds is not None else found_seconds)
                 if seconds is not None or found_seconds is not None else None)
    for axis, name in ((step_axis, "steps"), (time_axis, "seconds")):
        if axis is not None and len(axis) != len(values):
            raise ValueError(f"lowtide: {len(values)} readings, but {len(axis)} {name}\n  why:  each reading has one of them\n"
                             f"  try:  {name} of the same length")
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
    """The trend of the floor of the readings, in bytes over the whole series (src/judge/floor_trend.h)."""
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

"""The arguments of the marks, checked. A wrong one fails the test with a message instead of a traceback."""

from __future__ import annotations

import numbers
import os
import re
import tempfile
from pathlib import Path
from typing import Any, NamedTuple, Union

import pytest

from lowtide._units import parse_size

DEFAULT_STEPS = 120
FEWEST_STEPS = 20


class StableRule(NamedTuple):
    """The arguments of memory_stable."""

    after_warmup: Union[bool, int] = True
    max_growth: Union[int, None] = None
    steps: int = DEFAULT_STEPS


class LeakRule(NamedTuple):
    """The arguments of limit_leaks."""

    size: int
    warmups: int = 1


def stable_rule(item: pytest.Item) -> StableRule | None:
    mark = item.get_closest_marker("memory_stable")
    if mark is None:
        return None
    try:
        rule = StableRule(**_arguments(mark, StableRule._fields))
        return StableRule(_whole(rule.after_warmup, "after_warmup", 0, "it is True, False or the step where the warm-up ends", 30),
                          None if rule.max_growth is None else parse_size(rule.max_growth, "max_growth"),
                          _whole(rule.steps, "steps", FEWEST_STEPS, "fewer steps are too few to measure growth", DEFAULT_STEPS))
    except (TypeError, ValueError) as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None


def memory_limit(item: pytest.Item) -> int | None:
    mark = _own_mark(item, "limit_memory")
    if mark is None:
        return None
    try:
        return parse_size(_arguments(mark, ("size",)).get("size", ""), "size")
    except (TypeError, ValueError) as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None


def leak_rule(item: pytest.Item) -> LeakRule | None:
    mark = _own_mark(item, "limit_leaks")
    if mark is None:
        return None
    try:
        arguments = _arguments(mark, LeakRule._fields)
        return LeakRule(parse_size(arguments.get("size", ""), "size"),
                        _whole(arguments.get("warmups", 1), "warmups", 0, "it is a number of calls before the measured one", 1))
    except (TypeError, ValueError) as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None


def _own_mark(item: pytest.Item, name: str) -> pytest.Mark | None:
    """pytest-memray has marks of these names too. If it is installed, they are its own."""
    return None if item.config.pluginmanager.has_plugin("memray") else item.get_closest_marker(name)


def _arguments(mark: pytest.Mark, names: tuple[str, ...]) -> dict[str, Any]:
    unknown = [*map(repr, mark.args[len(names):]), *(name for name in mark.kwargs if name not in names)]
    if unknown:
        raise ValueError(f"lowtide: {mark.name} has no argument {unknown[0]}\n  why:  its arguments are {', '.join(names)}\n"
                         "  try:  pytest --markers")
    return {**dict(zip(names, mark.args)), **mark.kwargs}


def _whole(value: Any, name: str, least: int, why: str, example: int) -> int:
    if not isinstance(value, numbers.Integral) or value < least:
        raise ValueError(f"lowtide: {name}={value!r} is not a whole number of at least {least}\n  why:  {why}\n"
                         f"  try:  {name}={example}")
    return value if isinstance(value, bool) else int(value)


# The recording of a test. It is kept if the test fails.


def recording_of(item: pytest.Item) -> str:
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", item.nodeid).strip("-")[-120:]
    cache = getattr(item.config, "cache", None)
    folder = Path(cache.mkdir("lowtide")) if cache is not None else Path(tempfile.gettempdir())
    return str(folder / f"{name}-{os.getpid()}.lowtide")


def remove_recording(watched: Any) -> None:
    """For a test that passed. The recording of a watch that existed before the test stays."""
    for suffix in ("", "-wal", "-shm") if watched.is_own else ():
        Path(f"{watched.recording}{suffix}").unlink(missing_ok=True)


def recording_lines(watched: Any) -> list[str]:
    return [] if watched.recording is None else [f"recording: {watched.recording}   (lowtide report {watched.recording})"]

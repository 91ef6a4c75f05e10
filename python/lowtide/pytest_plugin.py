"""Marks for pytest: memory as something that a test can fail by.

    @pytest.mark.memory_stable(max_growth="500MB", steps=120)
    def test_training(memory_steps):
        model = make_model()
        for step in memory_steps:          # 120 of them, memory is read after each
            train(model)

    @pytest.mark.memory_stable(steps=300)
    def test_request():                    # without the fixture the test itself is the step, and is called 300 times
        handle(request)

    @pytest.mark.limit_memory("20GB")      # more than before the test, at its peak, with all processes it starts
    def test_loading(): ...

memory_stable(after_warmup=True, max_growth=None, steps=120)
    after_warmup   True: what the warm-up takes does not count, wherever it ends; a number: it ends at that step
    max_growth     how far the floor may rise from there to the last step: "50MB", or bytes as a number; None: the floor
                   must not rise steadily in the last half of the steps (_steady.py)

Both marks work on methods of unittest.TestCase too; setUp and tearDown are called once, around all steps.

What fails is told as a finding: how much, in which steps, from which line, held by which variable. The numbers come from
statistics over the low-water marks; a batch that was larger, or a collector that has not run yet, is no growth.
"""

from __future__ import annotations

import functools
import gc
import inspect
import numbers
import os
import re
import tempfile
import unittest
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, Union

import pytest

from lowtide._units import parse_size

_DEFAULT_STEPS = 120
_FEWEST_STEPS = 20
_COLLECTIONS = 20  # in all steps, so that every stretch of the last half has one (_steady.py)


class Steps:
    """What `memory_steps` is: numbers of steps, and a reading after each."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.readings: list[int] = []
        self.at_look: Callable[[], Any] = lambda: None
        self.is_looked_at = False

    def __iter__(self) -> Iterator[int]:
        from lowtide import step as tell
        from lowtide._readings import own_bytes

        for number in range(self.count):
            yield number
            # Garbage that waits for the collector is no growth. A test that switches the collector off keeps its garbage.
            if gc.isenabled() and (number % max(1, self.count // _COLLECTIONS) == 0 or number == self.count - 1):
                gc.collect()
            self.readings.append(own_bytes())
            tell(number)
            if number in (self.count // 4, self.count - 1):  # the last while the variables of the test are there
                self.at_look()
                self.is_looked_at = True

    def __len__(self) -> int:
        return self.count


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "memory_stable(after_warmup=True, max_growth=None, steps=120): memory does not grow "
                                       "from step to step, after its warm-up (lowtide)")
    config.addinivalue_line("markers", "limit_memory(size): the test takes no more than this at its peak (lowtide)")


class _Rule(NamedTuple):
    """The arguments of memory_stable."""

    after_warmup: Union[bool, int] = True
    max_growth: Union[int, None] = None
    steps: int = _DEFAULT_STEPS


def _arguments(mark: pytest.Mark, names: tuple[str, ...]) -> dict[str, Any]:
    unknown = [*map(repr, mark.args[len(names):]), *(name for name in mark.kwargs if name not in names)]
    if unknown:
        raise ValueError(f"lowtide: {mark.name} has no argument {unknown[0]}\n  why:  it takes {', '.join(names)}\n"
                         "  try:  pytest --markers")
    return {**dict(zip(names, mark.args)), **mark.kwargs}


def _whole(value: Any, name: str, least: int, why: str) -> int:
    if not isinstance(value, numbers.Integral) or value < least:
        raise ValueError(f"lowtide: {name}={value!r} is not a whole number of at least {least}\n  why:  {why}\n"
                         f"  try:  {name}={_DEFAULT_STEPS}")
    return value if isinstance(value, bool) else int(value)


def _stable_rule(item: pytest.Item) -> _Rule | None:
    mark = item.get_closest_marker("memory_stable")
    if mark is None:
        return None
    try:
        rule = _Rule(**_arguments(mark, _Rule._fields))
        return _Rule(_whole(rule.after_warmup, "after_warmup", 0, "it is True, False or the step where the warm-up ends"),
                     None if rule.max_growth is None else parse_size(rule.max_growth, "max_growth"),
                     _whole(rule.steps, "steps", _FEWEST_STEPS, "fewer steps say nothing about growth"))
    except (TypeError, ValueError) as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None


def _limit(item: pytest.Item) -> int | None:
    mark = item.get_closest_marker("limit_memory")
    # pytest-memray has a mark of that name too: where both are there it is memray's.
    if mark is None or item.config.pluginmanager.has_plugin("memray"):
        return None
    try:
        return parse_size(_arguments(mark, ("size",)).get("size", ""), "size")
    except (TypeError, ValueError) as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None


@pytest.fixture
def memory_steps(request: pytest.FixtureRequest) -> Steps:
    """The steps of a test with the mark memory_stable; a loop over it reads memory after each."""
    rule = _stable_rule(request.node)
    steps = Steps(rule.steps if rule is not None else _DEFAULT_STEPS)
    request.node._lowtide_steps = steps
    return steps


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[None]:
    """The test is replaced by one that measures, for this call; pytest calls it as it would have called the other."""
    test = pyfuncitem.obj
    pyfuncitem.obj = _measured(pyfuncitem)
    yield
    pyfuncitem.obj = test


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """pytest does not call the methods of a unittest.TestCase itself: unittest calls them, from here."""
    if isinstance(item, pytest.Function) and item.cls is not None and issubclass(item.cls, unittest.TestCase):
        test = item.obj
        item.obj = _measured(item)
        yield
        item.obj = test
    else:
        yield


def _measured(item: pytest.Function) -> Callable[..., Any]:
    """The test, within what its marks ask for."""
    test: Callable[..., Any] = item.obj
    limit, rule = _limit(item), _stable_rule(item)
    if limit is None and rule is None:
        return test
    if inspect.iscoroutinefunction(test):
        pytest.fail(f"lowtide: cannot measure {item.name}\n  why:  it is a coroutine, and nothing here awaits it\n"
                    "  try:  a test that runs the coroutine with asyncio.run()", pytrace=False)
    if limit is not None:
        test = _limited(item, test, limit)
    if rule is not None:
        test = _stable(item, test, rule)
    return test


def _recording_of(item: pytest.Item) -> str:
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", item.nodeid).strip("-")[-120:]
    cache = getattr(item.config, "cache", None)
    folder = Path(cache.mkdir("lowtide")) if cache is not None else Path(tempfile.gettempdir())
    return str(folder / f"{name}-{os.getpid()}.lowtide")


def _remove(watched: Any) -> None:
    """The recording of a test that passed; of a watch that was there before us we remove nothing."""
    for suffix in ("", "-wal", "-shm") if watched.is_own else ():
        Path(f"{watched.recording}{suffix}").unlink(missing_ok=True)


def _stable(item: pytest.Function, test: Callable[..., Any], rule: _Rule) -> Callable[..., Any]:
    @functools.wraps(test)
    def measured(*arguments: Any, **named: Any) -> None:
        from lowtide._watch import watch

        own_loop: Steps | None = getattr(item, "_lowtide_steps", None)
        series = own_loop if own_loop is not None else Steps(rule.steps)
        watched = watch(_recording_of(item), interval="20ms", quiet=True)
        series.at_look = watched.look
        try:
            if own_loop is not None:
                test(*arguments, **named)
            else:
                for _ in series:
                    test(*arguments, **named)
        finally:
            watched.stop(look=not series.is_looked_at)
        _hold(series, watched, rule)
        _remove(watched)

    return measured


def _hold(series: Steps, watched: Any, rule: _Rule) -> None:
    from lowtide._judge import floor_trend, judge
    from lowtide._steady import rises_steadily

    readings = series.readings
    if len(readings) < _FEWEST_STEPS:
        pytest.fail(f"memory_stable: {len(readings)} steps were made, and fewer than {_FEWEST_STEPS} tell nothing; is "
                    "memory_steps looped over?", pytrace=False)
    verdict = judge(readings, steps=range(len(readings)))
    # `True == 1`: asked by its type.
    named = rule.after_warmup if type(rule.after_warmup) is int else 0
    first = named
    if rule.after_warmup is True:
        first = int(verdict.warmup_end_step) if verdict.warmup_end_step is not None else len(readings) // 4
    first = min(first, len(readings) - _FEWEST_STEPS // 2)
    growth = floor_trend(readings[first:])
    told = watched.report()
    if rule.max_growth is not None:
        if growth <= rule.max_growth:
            return
    # The report knows lines and variables. They settle what the readings of the steps leave open, and nothing else.
    elif not (verdict.is_leak or rises_steadily(readings, min(named, first))
              or (told.verdict.is_leak and growth > 0 and verdict.kind == "inconclusive")):
        if verdict.kind == "inconclusive" and verdict.lean == "leak":
            warnings.warn(pytest.PytestWarning(f"memory_stable cannot tell: {verdict}; more steps would"), stacklevel=2)
        return
    pytest.fail(_finding(readings, first, growth, rule.max_growth, verdict, told, watched), pytrace=False)


def _finding(readings: list[int], first: int, growth: float, max_growth: int | None, verdict: Any, told: Any,
             watched: Any) -> str:
    from lowtide._judge import judge
    from lowtide._units import format_bytes

    length = len(readings) - first
    settled = judge(readings[first:], steps=range(first, len(readings)))
    lines = [f"memory grows by {format_bytes(growth)} in steps {first} to {len(readings)}, "
             f"{format_bytes(growth / length)} a step"
             + (f"; {format_bytes(max_growth)} are allowed" if max_growth is not None else ""),
             *([] if max_growth is not None else
               ["  rule:   without max_growth the floor must not rise steadily in the last half of the steps; for a cache that "
                "fills: more steps, or max_growth"]),
             f"  floor:  {format_bytes(settled.floor_first_bytes)} -> {format_bytes(settled.floor_last_bytes)}",
             f"  judged: {verdict}"]
    lines += [f"  from:   {_place(one)}, {format_bytes(one['growth_bytes'])} more alive" for one in told.sites[:2]
              if (one.get("growth_bytes") or 0) > growth / 10 and (one.get("live_samples") or 0) > 1]
    if not any(one.holder for one in told.problems):
        lines += [f"  held by {one['path']} ({one['type']}): +{format_bytes(one['growth_bytes'])}" for one in told.holders[:2]
                  if (one.get("growth_bytes") or 0) > growth / 10]
    for one in told.problems[:2]:
        lines += ["", *str(one).splitlines()]
    return "\n".join([*lines, "", *_recording_words(watched)])


def _recording_words(watched: Any) -> list[str]:
    return [] if watched.recording is None else [f"recording: {watched.recording}   (lowtide report {watched.recording})"]


# limit_memory


def _field(name: str) -> int:
    try:
        with open("/proc/self/status") as file:
            return next((int(line.split()[1]) * 1024 for line in file if line.startswith(name)), 0)
    except OSError:
        return 0


def _forget_peak() -> bool:
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")  # the peak begins anew at what there is now
        return True
    except OSError:
        return False


def _limited(item: pytest.Function, test: Callable[..., Any], limit: int) -> Callable[..., Any]:
    @functools.wraps(test)
    def measured(*arguments: Any, **named: Any) -> None:
        from lowtide._units import format_bytes
        from lowtide._watch import watch

        watched = watch(_recording_of(item), interval="20ms", quiet=True)
        begins_anew, before, tree_before, began_s = _forget_peak(), _field("VmRSS"), watched.tree_bytes(), watched.now_s()
        try:
            test(*arguments, **named)
        finally:
            peak = _field("VmHWM") - before if begins_anew else _field("VmRSS") - before
            watched.stop()
        tree_peak = _tree_peak(watched.recording, began_s)
        if tree_peak is not None and tree_before is not None:
            peak = max(peak, tree_peak - tree_before)
        if peak > limit:
            told = watched.report()
            lines = [f"the test took {format_bytes(peak)} at its peak; {format_bytes(limit)} are allowed"]
            lines += [f"  from {_place(one)}: {format_bytes(one['live_bytes'])} alive at the end" for one in told.sites[:3]
                      if (one.get("live_bytes") or 0) > limit / 10]
            pytest.fail("\n".join([*lines, *_recording_words(watched)]), pytrace=False)
        _remove(watched)

    return measured


def _place(site: Any) -> str:
    frames = site.get("frames") or []
    at = site.get("act_on") or 0
    return f"{frames[at]['file']}:{frames[at]['line']}" if at < len(frames) else "an unknown place"


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

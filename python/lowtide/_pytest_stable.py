"""The mark memory_stable: memory must not grow from step to step."""

from __future__ import annotations

import functools
import gc
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from lowtide._allocations import site_lines
from lowtide._pytest_marks import DEFAULT_STEPS, FEWEST_STEPS, StableRule, recording_lines, recording_of, remove_recording
from lowtide._report import Report, Verdict
from lowtide._text import readable

__all__ = ["DEFAULT_STEPS", "Steps", "stable"]

_COLLECTIONS = 20  # in all steps, so that every stretch of the last half has one (_steady.py)


class Steps:
    """The fixture `memory_steps`: numbers of steps, with a reading of memory after each."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.readings: list[int] = []
        self.take_snapshot: Callable[[], Any] = lambda: None
        self.has_snapshot = False

    def __iter__(self) -> Iterator[int]:
        from lowtide import step as mark
        from lowtide._readings import own_bytes

        for number in range(self.count):
            yield number
            # Garbage that the collector has not freed yet is no growth. A test that disables the collector keeps its garbage.
            if gc.isenabled() and (number % max(1, self.count // _COLLECTIONS) == 0 or number == self.count - 1):
                gc.collect()
            self.readings.append(own_bytes())
            mark(number)
            if number in (self.count // 4, self.count - 1):  # the last one while the test still has its variables
                self.take_snapshot()
                self.has_snapshot = True

    def __len__(self) -> int:
        return self.count


def stable(item: pytest.Function, test: Callable[..., Any], rule: StableRule) -> Callable[..., Any]:
    @functools.wraps(test)
    def measured(*arguments: Any, **named: Any) -> None:
        from lowtide._watch import watch

        own_loop: Steps | None = getattr(item, "_lowtide_steps", None)
        series = own_loop if own_loop is not None else Steps(rule.steps)
        watched = watch(recording_of(item), interval="20ms", quiet=True)
        series.take_snapshot = watched.snapshot
        try:
            if own_loop is not None:
                test(*arguments, **named)
            else:
                for _ in series:
                    test(*arguments, **named)
        finally:
            watched.stop(snapshot=not series.has_snapshot)
        _check(series, watched, rule)
        remove_recording(watched)

    return measured


def _check(series: Steps, watched: Any, rule: StableRule) -> None:
    from lowtide._judge import floor_trend, judge
    from lowtide._steady import rises_steadily

    readings = series.readings
    if len(readings) < FEWEST_STEPS:
        pytest.fail(f"lowtide: memory_stable measured {len(readings)} steps\n  why:  fewer than {FEWEST_STEPS} are too few\n"
                    "  try:  a loop over memory_steps to its end", pytrace=False)
    verdict = judge(readings, steps=range(len(readings)))
    # `True == 1`, so the type decides.
    named = rule.after_warmup if type(rule.after_warmup) is int else 0
    first = named
    if rule.after_warmup is True:
        first = int(verdict.warmup_end_step) if verdict.warmup_end_step is not None else len(readings) // 4
    first = min(first, len(readings) - FEWEST_STEPS // 2)
    growth = floor_trend(readings[first:])
    report = watched.report()
    if rule.max_growth is not None:
        if growth <= rule.max_growth:
            return
    # The report knows lines and variables. They settle only what the readings of the steps leave open.
    elif not (verdict.is_leak or rises_steadily(readings, min(named, first))
              or (report.verdict.is_leak and growth > 0 and verdict.kind == "inconclusive")):
        if verdict.kind == "inconclusive" and verdict.lean == "leak":
            warnings.warn(pytest.PytestWarning(f"memory_stable is not sure: {verdict}. Use more steps"), stacklevel=2)
        return
    pytest.fail(_message(readings, first, growth, rule.max_growth, verdict, report, watched), pytrace=False)


def _message(readings: list[int], first: int, growth: float, max_growth: int | None, verdict: Verdict, report: Report,
             watched: Any) -> str:
    from lowtide._judge import judge
    from lowtide._summary import holders_of_growth
    from lowtide._units import format_bytes

    settled = judge(readings[first:], steps=range(first, len(readings)))
    lines = [f"memory grew by {format_bytes(growth)} in steps {first} to {len(readings)}, "
             f"{format_bytes(growth / (len(readings) - first))} per step"
             + (f"; the limit is {format_bytes(max_growth)}" if max_growth is not None else "")]
    if max_growth is None:
        lines.append("  rule:   without max_growth the floor must not rise steadily in the last half of the steps; if this is "
                     "a cache that fills, use more steps or max_growth")
    lines += [f"  floor:  {format_bytes(settled.floor_first_bytes)} -> {format_bytes(settled.floor_last_bytes)}",
              f"  judged: {verdict}", *site_lines(report, growth / 10)]
    problems = report.problems[:2]
    if not any(one.holder for one in problems):
        lines += [readable(f"  held by {one['path']} ({one['type']}): +{format_bytes(one['growth_bytes'] or 0)}")
                  for one in holders_of_growth(report, growth)[:2]]
    if report.answer is not None and report.answer.kind == "leak":
        lines += ["", *str(report.answer).splitlines()]
    for one in problems:
        lines += ["", *str(one).splitlines()]
    return "\n".join([*lines, "", *recording_lines(watched)])

"""The common part of all callbacks: a watch during the training, a reading every N steps, a warning as soon as the monitor
is sure of a leak, and a summary at the end. Nothing that a trainer passes to its callbacks is kept."""

from __future__ import annotations

import atexit
import os
import sys
import time
import weakref
from typing import Any, SupportsFloat

import lowtide
from lowtide._log import warn_once
from lowtide._options import check_recording, limit_flags
from lowtide._phases import PhaseGrowth, recorded_phases
from lowtide._readings import metrics, to_mb
from lowtide._report import Report, Verdict
from lowtide._summary import closing_lines
from lowtide._text import readable
from lowtide._units import format_bytes
from lowtide._watch import Watch, current, watch

_BETWEEN_JUDGEMENTS_S = 10.0


def check_every(every: int) -> int:
    if every < 1:
        raise ValueError(f"lowtide: every={every} is out of range\n  why:  it is the number of steps between two readings\n"
                         "  try:  every=10")
    return every


class TrainingMemory:
    """Call `begin`, then `step` after every step, then `end`. `report` is set by `end`."""

    def __init__(self, every: int = 10, *, recording: str | os.PathLike[str] | None = None, deep: bool = True,
                 limit: str | SupportsFloat | None = None, quiet: bool = False) -> None:
        self.every = check_every(every)
        limit_flags(limit)  # a wrong argument raises here, not when the training begins
        check_recording(recording)
        self.report: Report | None = None
        self.phases = PhaseGrowth()
        self._options: dict[str, Any] = {"recording": recording, "deep": deep, "limit": limit}
        self._quiet = quiet
        self._watch: Watch | None = None
        self._is_own = False
        self._owner = os.getpid()
        self._finalizer: Any = None  # a weakref.finalize, whose type parameters depend on the version of typeshed
        self._next_judgement_s = 0.0
        self._has_warned = False

    @property
    def watch(self) -> Watch | None:
        return self._watch

    def begin(self, callback: object = None) -> None:
        """`callback`: the object whose trainer calls `end`, for a trainer that does not call it after an exception. The
        summary is then printed when the program exits, or when the trainer and its callback are deleted."""
        if self._watch is not None:  # a second fit() of the same callback
            return
        self._owner = os.getpid()
        existing = current()
        self._is_own = existing is None
        self._watch = existing if existing is not None else watch(quiet=True, **self._options)
        self.phases.begin("train")
        self._next_judgement_s = time.monotonic() + _BETWEEN_JUDGEMENTS_S
        atexit.register(self._end_early, snapshot=True)
        if callback is not None:
            # No snapshot there: the garbage collector may be running.
            self._finalizer = weakref.finalize(callback, self._end_early, snapshot=False)
            self._finalizer.atexit = False

    def step(self, number: int) -> dict[str, float] | None:
        """Marks the step; every N steps it returns a reading for the trainer's log."""
        lowtide.step(number)
        if number % self.every:
            return None
        self._warn_early()
        return self.read()

    def read(self) -> dict[str, float]:
        return metrics(self._watch)

    def end_evaluation(self, prefix: str) -> dict[str, float]:
        """A reading at the end of an evaluation, and the growth during it. `prefix` begins every key: trainers have their
        own words for an evaluation."""
        numbers = {prefix + key: value for key, value in self.read().items()}
        growth = self.phases.end("eval")
        if growth is not None:
            numbers[f"{prefix}memory/growth_mb"] = to_mb(growth)
        return numbers

    def _end_early(self, *, snapshot: bool) -> None:
        if self._watch is not None and os.getpid() == self._owner:
            self.end(snapshot=snapshot)

    def end(self, *, snapshot: bool = True) -> Report:
        """Stops the watch that `begin` started and prints the summary. `snapshot`: take a last one."""
        atexit.unregister(self._end_early)
        if self._finalizer is not None:
            self._finalizer.detach()
        ended = self._watch
        self._watch = None
        if ended is None:
            return Report(Verdict.unknown("the training did not begin"))
        self.phases.end("train")
        if self._is_own:
            ended.stop(snapshot=snapshot)
        self.report = ended.report()
        if not self._quiet and ended.recording is not None and sys.stderr is not None:
            print("\n".join([*closing_lines(self.report), f"  recording: {ended.recording}"]), file=sys.stderr)
        return self.report

    def final_metrics(self) -> dict[str, float]:
        """For the trainer's log after the end: leak or not, the growth of the floor, its rate, and the phases."""
        if self.report is None or not self.report.raw:  # nothing was measured, so nothing is known to be clean
            return {}
        verdict = self.report.verdict
        numbers = {"memory/leak": float(verdict.is_leak), "memory/floor_growth_mb": to_mb(verdict.growth_bytes)}
        if verdict.rate is not None and verdict.rate.per == "step":
            numbers["memory/growth_kb_per_step"] = round(verdict.rate.bytes / 1e3, 3)
        return {**numbers, **self.phases.metrics(), **recorded_phases(self.report)}

    def _warn_early(self) -> None:
        now = time.monotonic()
        if self._has_warned or self._watch is None or now < self._next_judgement_s:
            return
        self._next_judgement_s = now + _BETWEEN_JUDGEMENTS_S
        judgement = self._watch.judgement()
        if judgement is None or judgement["kind"] != "leak":
            return
        self._has_warned = True
        text = f"lowtide: this training leaks memory ({judgement['confidence']:.0%}): {judgement['reason']}"
        if judgement["limit_step"] is not None and judgement["limit_bytes"] is not None:
            text += f"; it reaches {format_bytes(judgement['limit_bytes'])} at step {judgement['limit_step']:.0f}"
        warn_once(f"{readable(text)}\n  try:  lowtide report {self._watch.recording}")

"""What all callbacks do: a watch for as long as the training lasts, a reading every N steps, a word as soon as there is
reason for one, and a summary at the end. Nothing of what a trainer hands to its callbacks is kept."""

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
from lowtide._readings import metrics
from lowtide._report import Report, growth_words
from lowtide._units import format_bytes
from lowtide._watch import Watch, current, watch

_BETWEEN_JUDGEMENTS_S = 10.0


def check_every(every: int) -> int:
    if every < 1:
        raise ValueError(f"every={every}: a callback looks every N steps, N at least 1")
    return every


class TrainingMemory:
    """`begin`, `step` after every step, `end`. `report` is there after the end."""

    def __init__(self, every: int = 10, *, recording: str | os.PathLike[str] | None = None, deep: bool = True,
                 limit: str | SupportsFloat | None = None, quiet: bool = False) -> None:
        self.every = check_every(every)
        limit_flags(limit)  # a wrong argument raises here, not when the training begins
        check_recording(recording)
        self.report: Report | None = None
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
        summary then comes at the exit of the program, or when the trainer and its callback are gone."""
        if self._watch is not None:  # a second fit() of the same callback
            return
        self._owner = os.getpid()
        there = current()
        self._is_own = there is None
        self._watch = there if there is not None else watch(quiet=True, **self._options)
        self._next_judgement_s = time.monotonic() + _BETWEEN_JUDGEMENTS_S
        atexit.register(self._end_early, look=True)
        if callback is not None:
            # No snapshot there: the garbage collector may be at work.
            self._finalizer = weakref.finalize(callback, self._end_early, look=False)
            self._finalizer.atexit = False

    def step(self, number: int) -> dict[str, float] | None:
        """Tells the step; every N of them a reading, for the trainer's log."""
        lowtide.step(number)
        if number % self.every:
            return None
        self._warn_early()
        return self.read()

    def read(self) -> dict[str, float]:
        return metrics(self._watch)

    def _end_early(self, *, look: bool) -> None:
        if self._watch is not None and os.getpid() == self._owner:
            self.end(look=look)

    def end(self, *, look: bool = True) -> Report:
        """Stops what `begin` started, and says what was seen. `look`: with a last snapshot."""
        atexit.unregister(self._end_early)
        if self._finalizer is not None:
            self._finalizer.detach()
        told = self._watch
        self._watch = None
        if told is None:
            from lowtide._report import Verdict

            return Report(Verdict.unknown("the training did not begin"))
        if self._is_own:
            told.stop(look=look)
        self.report = told.report()
        if not self._quiet and told.recording is not None and sys.stderr is not None:
            print("\n".join([*growth_words(self.report), f"  recording: {told.recording}"]), file=sys.stderr)
        return self.report

    def final_metrics(self) -> dict[str, float]:
        """Of the report, for the log: the growth of the floor, its rate, and whether it is a leak."""
        if self.report is None or not self.report.raw:  # nothing was seen: that is no clean bill
            return {}
        verdict = self.report.verdict
        told = {"memory/leak": float(verdict.is_leak), "memory/floor_growth_mb": round(verdict.growth_bytes / 1e6, 3)}
        if verdict.rate is not None and verdict.rate.per == "step":
            told["memory/growth_kb_per_step"] = round(verdict.rate.bytes / 1e3, 3)
        return told

    def _warn_early(self) -> None:
        now = time.monotonic()
        if self._has_warned or self._watch is None or now < self._next_judgement_s:
            return
        self._next_judgement_s = now + _BETWEEN_JUDGEMENTS_S
        judgement = self._watch.judgement()
        if judgement is None or judgement["kind"] != "leak":
            return
        self._has_warned = True
        words = f"lowtide: memory leaks, so far ({judgement['confidence']:.0%}): {judgement['reason']}"
        if judgement["limit_step"] is not None and judgement["limit_bytes"] is not None:
            words += f"; {format_bytes(judgement['limit_bytes'])} is reached at step {judgement['limit_step']:.0f}"
        warn_once(f"{words}\n  try:  lowtide report {self._watch.recording}")

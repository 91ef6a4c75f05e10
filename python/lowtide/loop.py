"""For your own training loop, with any logger:

    with lowtide.MemoryLog(log, every=10) as memory:
        for number, batch in enumerate(batches):
            train(batch)
            memory.step(number)
    print(memory.report)
"""

from __future__ import annotations

import os
from collections.abc import Callable
from types import TracebackType
from typing import SupportsFloat

from lowtide._report import Report
from lowtide._training import TrainingMemory


class MemoryLog:
    """log     called every N steps with a dictionary of numbers and the step; None: log nothing
    every   steps between two readings; the other arguments are those of `lowtide.watch()`
    """

    def __init__(self, log: Callable[[dict[str, float], int], object] | None = None, every: int = 10, *,
                 recording: str | os.PathLike[str] | None = None, deep: bool = True,
                 limit: str | SupportsFloat | None = None, quiet: bool = False) -> None:
        self.memory = TrainingMemory(every, recording=recording, deep=deep, limit=limit, quiet=quiet)
        self._log = log
        self._last_step = 0

    @property
    def report(self) -> Report | None:
        """Set at the end of the `with`."""
        return self.memory.report

    def step(self, number: int) -> None:
        """Call it after every step of the training."""
        self._last_step = number
        reading = self.memory.step(number)
        if reading is not None and self._log is not None:
            self._log(reading, number)

    def __enter__(self) -> MemoryLog:
        self.memory.begin()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.memory.end()
        if kind is None and self._log is not None:
            self._log(self.memory.final_metrics(), self._last_step)

"""For Keras 3, whatever its backend:

    from lowtide.keras import MemoryCallback

    model.fit(..., callbacks=[MemoryCallback(every=10)])

Memory goes into the `logs` of batches and epochs, and from there into History, CSVLogger and TensorBoard. The callbacks
that shall see it come after this one in the list.
"""

from __future__ import annotations

import os
from typing import Any, SupportsFloat

import keras

import lowtide
from lowtide._report import Report
from lowtide._training import TrainingMemory


class MemoryCallback(keras.callbacks.Callback):
    """every: batches between two readings; the rest as in `lowtide.watch()`."""

    def __init__(self, every: int = 10, *, recording: str | os.PathLike[str] | None = None, deep: bool = True,
                 limit: str | SupportsFloat | None = None, quiet: bool = False) -> None:
        super().__init__()
        self.memory = TrainingMemory(every, recording=recording, deep=deep, limit=limit, quiet=quiet)
        self._steps = 0
        self._latest: dict[str, float] = {}
        self._phase: Any = None

    @property
    def report(self) -> Report | None:
        """There after the training."""
        return self.memory.report

    def on_train_begin(self, logs: Any = None) -> None:
        self._steps = 0
        self.memory.begin(self)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self._steps += 1
        self._latest = self.memory.step(self._steps) or self._latest
        if logs is not None:
            logs.update(self._latest)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if logs is not None:
            logs.update(self._latest)

    def on_test_begin(self, logs: Any = None) -> None:
        self._phase = lowtide.phase("eval")
        self._phase.__enter__()

    def on_test_end(self, logs: Any = None) -> None:
        phase, self._phase = self._phase, None
        if phase is not None:
            phase.__exit__(None, None, None)

    def on_train_end(self, logs: Any = None) -> None:
        self.memory.end()
        if logs is not None:
            logs.update(self.memory.final_metrics())

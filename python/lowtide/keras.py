"""For Keras 3 with any backend:

    from lowtide.keras import MemoryCallback

    model.fit(..., callbacks=[MemoryCallback(every=10)])

Memory goes into the `logs` of batches and epochs, and from there into History, CSVLogger and TensorBoard. Put this callback
before the callbacks that should log its numbers. History also gets the result: `history.history["memory/leak"]`.
"""

from __future__ import annotations

import os
from typing import Any, SupportsFloat

import keras

import lowtide
from lowtide._report import Report
from lowtide._training import TrainingMemory


class MemoryCallback(keras.callbacks.Callback):
    """every: batches between two readings; the other arguments are those of `lowtide.watch()`."""

    def __init__(self, every: int = 10, *, recording: str | os.PathLike[str] | None = None, deep: bool = True,
                 limit: str | SupportsFloat | None = None, quiet: bool = False) -> None:
        super().__init__()
        self.memory = TrainingMemory(every, recording=recording, deep=deep, limit=limit, quiet=quiet)
        self._steps = 0
        self._latest: dict[str, float] = {}
        self._validation: dict[str, float] = {}
        self._phase: Any = None

    @property
    def report(self) -> Report | None:
        """Set when the training ends."""
        return self.memory.report

    def on_train_begin(self, logs: Any = None) -> None:
        self._steps = 0
        self._validation = {}
        self.memory.begin(self)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self._steps += 1
        self._latest = self.memory.step(self._steps) or self._latest
        if logs is not None:
            logs.update(self._latest)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self._latest = self._latest or self.memory.read()  # CSVLogger takes its columns from the first epoch
        if logs is not None:
            logs.update({**self._latest, **self._validation})

    def on_test_begin(self, logs: Any = None) -> None:
        self.memory.phases.begin("eval")
        self._phase = lowtide.phase("eval")
        self._phase.__enter__()

    def on_test_end(self, logs: Any = None) -> None:
        phase, self._phase = self._phase, None
        if phase is not None:
            phase.__exit__(None, None, None)
        self._validation = self.memory.end_evaluation("val_")

    def on_train_end(self, logs: Any = None) -> None:
        self.memory.end()
        final = self.memory.final_metrics()
        if logs is not None:
            logs.update(final)
        # Keras adds to History at the ends of epochs only, and the result comes after the last one.
        history = getattr(getattr(self.model, "history", None), "history", None)
        if isinstance(history, dict):
            for key, value in final.items():
                history.setdefault(key, []).append(value)

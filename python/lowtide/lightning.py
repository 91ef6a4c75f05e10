"""For PyTorch Lightning:

    from lowtide.lightning import MemoryCallback

    trainer = Trainer(..., callbacks=[MemoryCallback(every=10)])

Memory goes to the trainer's loggers every N steps; at the end the verdict, with the line and the variable behind a leak
(`callback.report`, and some lines on standard error).
"""

from __future__ import annotations

import os
import sys
import weakref
from typing import TYPE_CHECKING, Any, SupportsFloat

from lowtide._loaders import warn_of_loader
from lowtide._report import Report
from lowtide._training import TrainingMemory
from lowtide.cleanup import Cleanup

# One library under two names, with a class each: the one that the job uses.
if not TYPE_CHECKING and "pytorch_lightning" in sys.modules and "lightning.pytorch" not in sys.modules:
    from pytorch_lightning import Callback
else:
    try:
        from lightning.pytorch import Callback
    except ImportError:
        from pytorch_lightning import Callback


class MemoryCallback(Callback):
    """every: steps between two readings; the rest as in `lowtide.watch()`."""

    def __init__(self, every: int = 10, *, recording: str | os.PathLike[str] | None = None, deep: bool = True,
                 limit: str | SupportsFloat | None = None, quiet: bool = False) -> None:
        super().__init__()
        self.memory = TrainingMemory(every, recording=recording, deep=deep, limit=limit, quiet=quiet)
        self._told_step = -1
        self._has_checked_loaders = True

    @property
    def report(self) -> Report | None:
        """There after the training."""
        return self.memory.report

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        self.memory.begin()
        self._told_step = trainer.global_step
        self._has_checked_loaders = False

    def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int) -> None:
        if self._has_checked_loaders:
            return
        self._has_checked_loaders = True  # once, with a batch: what waits ahead is weighed by it
        loaders = trainer.train_dataloader
        for loader in loaders if isinstance(loaders, (list, tuple)) else [loaders]:
            warn_of_loader(loader, batch)

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        if trainer.global_step == self._told_step:  # a part of a step that is put together from several batches
            return
        self._told_step = trainer.global_step
        told = self.memory.step(trainer.global_step)
        if told is not None:
            self._send(trainer, told)

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        # The last look is taken in here: what holds the model shall be the job, not a variable of ours.
        there = weakref.ref(trainer)
        del trainer, pl_module
        self.memory.end()
        self._send(there(), self.memory.final_metrics())

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        if self.memory.watch is not None:
            self.memory.end()

    @staticmethod
    def _send(trainer: Any, told: dict[str, float]) -> None:
        if trainer is not None and trainer.is_global_zero:
            for logger in trainer.loggers:
                logger.log_metrics(told, step=trainer.global_step)


class CleanupCallback(Callback):
    """lowtide.Cleanup at steps, after evaluations and at the ends of epochs; its table at the end."""

    def __init__(self, cleanup: Cleanup | None = None) -> None:
        super().__init__()
        self.cleanup = cleanup if cleanup is not None else Cleanup()
        self._done_step = 0

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        if trainer.global_step != self._done_step:  # between the parts of a step gradients are needed
            self._done_step = trainer.global_step
            self.cleanup.step()

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        if not trainer.sanity_checking:
            self.cleanup.after_evaluation()

    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        self.cleanup.after_epoch()

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        print(self.cleanup, file=sys.stderr)

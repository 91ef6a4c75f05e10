"""For PyTorch Lightning:

    from lowtide.lightning import MemoryCallback

    trainer = Trainer(..., callbacks=[MemoryCallback(every=10)])

Memory goes to the trainer's loggers every N steps and after every validation, at the steps that `self.log` uses. At the end
come the verdict, and the line and variable of a leak (`callback.report`, and some lines on standard error).
"""

from __future__ import annotations

import os
import sys
import weakref
from typing import TYPE_CHECKING, Any, SupportsFloat

from lowtide._loaders import warn_about_loader
from lowtide._report import Report
from lowtide._training import TrainingMemory
from lowtide.cleanup import Cleanup

# One library with two names, and a class in each: use the one that the job uses.
if not TYPE_CHECKING and "pytorch_lightning" in sys.modules and "lightning.pytorch" not in sys.modules:
    from pytorch_lightning import Callback
else:
    try:
        from lightning.pytorch import Callback
    except ImportError:
        from pytorch_lightning import Callback


def _log_step(trainer: Any) -> int:
    """The step of `self.log`. It counts batches that stepped, from 0; `global_step` counts optimizer steps, from 1 here.
    Lightning's own DeviceStatsMonitor reads the same attribute."""
    loop = getattr(getattr(trainer, "fit_loop", None), "epoch_loop", None)
    step = getattr(loop, "_batches_that_stepped", None)
    return int(trainer.global_step if step is None else step)


class MemoryCallback(Callback):
    """every: steps between two readings; the other arguments are those of `lowtide.watch()`."""

    def __init__(self, every: int = 10, *, recording: str | os.PathLike[str] | None = None, deep: bool = True,
                 limit: str | SupportsFloat | None = None, quiet: bool = False) -> None:
        super().__init__()
        self.memory = TrainingMemory(every, recording=recording, deep=deep, limit=limit, quiet=quiet)
        self._seen_step = -1
        self._last_log_step = 0  # of the last batch
        self._has_checked_loaders = True

    @property
    def report(self) -> Report | None:
        """Set when the training ends."""
        return self.memory.report

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        self.memory.begin()
        self._seen_step = trainer.global_step
        self._has_checked_loaders = False

    def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int) -> None:
        if self._has_checked_loaders:
            return
        self._has_checked_loaders = True  # once, with a batch, whose size gives that of the prefetched ones
        loaders = trainer.train_dataloader
        for loader in loaders if isinstance(loaders, (list, tuple)) else [loaders]:
            warn_about_loader(loader, batch)

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        if trainer.global_step == self._seen_step:  # accumulation of gradients: the step is not complete
            return
        self._seen_step = trainer.global_step
        self._last_log_step = _log_step(trainer)
        reading = self.memory.step(trainer.global_step)
        if reading is not None:
            self._send(trainer, reading)

    def on_validation_start(self, trainer: Any, pl_module: Any) -> None:
        if not trainer.sanity_checking:
            self.memory.phases.begin("eval")

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        if not trainer.sanity_checking and self.memory.watch is not None:
            self._send(trainer, self.memory.end_evaluation("eval_"))

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        # The last snapshot is taken in here, and a variable of this callback must not be what holds the model.
        there = weakref.ref(trainer)
        del trainer, pl_module
        self.memory.end()
        self._send(there(), self.memory.final_metrics())

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        if self.memory.watch is not None:
            self.memory.end()

    def _send(self, trainer: Any, numbers: dict[str, float]) -> None:
        if trainer is not None and trainer.is_global_zero:
            for logger in trainer.loggers:
                logger.log_metrics(numbers, step=self._last_log_step)


class CleanupCallback(Callback):
    """Calls lowtide.Cleanup at steps, after validations and at the ends of epochs, and prints its table at the end, once,
    in the first process. With `quiet` it prints nothing: `print(cleanup)` shows the table."""

    def __init__(self, cleanup: Cleanup | None = None, *, quiet: bool = False) -> None:
        super().__init__()
        self.cleanup = cleanup if cleanup is not None else Cleanup()
        self._quiet = quiet
        self._done_step = 0

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        if trainer.global_step != self._done_step:  # not between accumulated batches, which need the gradients
            self._done_step = trainer.global_step
            self.cleanup.step()

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        if not trainer.sanity_checking:
            self.cleanup.after_evaluation()

    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        self.cleanup.after_epoch()

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        if trainer.is_global_zero and not self._quiet:
            self.cleanup.print_once()

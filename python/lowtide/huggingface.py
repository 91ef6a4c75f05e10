"""For the Trainer of transformers:

    from lowtide.huggingface import MemoryCallback

    trainer = Trainer(..., callbacks=[MemoryCallback(every=10)])

Memory goes into the trainer's own log: to every tracker of `report_to` every N steps, and into the trainer's lines and
`state.log_history` whenever it logs. At the end: verdict, growth, the line and the variable behind it, the tensors that
grew (`callback.report`, and some lines on standard error).
"""

from __future__ import annotations

import os
import sys
from types import FrameType
from typing import Any, SupportsFloat

from transformers import TrainerCallback

from lowtide._loaders import warn_of_loader
from lowtide._log import warn_once
from lowtide._report import Report
from lowtide._training import TrainingMemory
from lowtide.cleanup import Cleanup

_DEEPEST = 8


class MemoryCallback(TrainerCallback):
    """every: steps between two readings; the rest as in `lowtide.watch()`."""

    def __init__(self, every: int = 10, *, recording: str | os.PathLike[str] | None = None, deep: bool = True,
                 limit: str | SupportsFloat | None = None, quiet: bool = False) -> None:
        self.memory = TrainingMemory(every, recording=recording, deep=deep, limit=limit, quiet=quiet)
        self._unsent: dict[str, float] = {}
        self._sent_step = -1
        self._batch_hook: Any = None

    @property
    def report(self) -> Report | None:
        """There after the training."""
        return self.memory.report

    def on_init_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._go_first()

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._go_first()
        self.memory.begin(self)
        loader, model = kwargs.get("train_dataloader"), kwargs.get("model")
        warn_of_loader(loader)
        # What is compiled would be compiled again for a hook that comes and goes.
        waits = getattr(loader, "num_workers", 0) or getattr(loader, "pin_memory", False)
        if waits and not getattr(args, "torch_compile", False):
            self._batch_hook = _weigh_first_batch(model, loader)

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        # Should the trainer log this step, it comes with that; else before the next one.
        self._unsent = self.memory.step(state.global_step) or {}

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **kwargs: Any) -> None:
        # The trainer logs its last step twice, the second time what the training took as a whole.
        if logs is None or self.memory.watch is None or state.global_step == self._sent_step:
            return
        told, self._unsent = self._unsent or self.memory.read(), {}
        self._sent_step = state.global_step
        logs.update(told)
        if state.log_history and state.log_history[-1].get("step") == state.global_step:
            state.log_history[-1].update(told)

    def on_step_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if self._unsent:
            told, self._unsent = self._unsent, {}
            self._sent_step = state.global_step
            if state.is_world_process_zero:
                self._send(told, args, state, control)

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self.on_step_begin(args, state, control)
        if self._batch_hook is not None:
            self._batch_hook.remove()  # should there have been no batch
            self._batch_hook = None
        kwargs.clear()  # the last look is taken in here: what holds the model shall be the job, not a variable of ours
        self.memory.end()
        if state.is_world_process_zero:
            final = self.memory.final_metrics()
            self._send(final, args, state, control)
            state.log_history.append({**final, "step": state.global_step})

    # The trainer gives its callbacks no way to log, and calls the trackers of `report_to` before us, with a dictionary
    # that we may add to. So we find who calls us, and go first. The frames of the training itself are not asked for
    # their variables: before Python 3.13 that keeps copies of them, batches and losses, for as long as a frame lives.

    def _handler(self) -> Any:
        frame: FrameType | None = sys._getframe(1)
        for _ in range(_DEEPEST):
            if frame is None:
                break
            if frame.f_code.co_name == "call_event":
                caller = frame.f_locals.get("self")
                return caller if any(one is self for one in getattr(caller, "callbacks", None) or ()) else None
            frame = frame.f_back
        return None

    def _go_first(self) -> None:
        handler = self._handler()
        if handler is not None and handler.callbacks[0] is not self:
            # A new list: the handler is in the middle of a loop over the old one.
            handler.callbacks = [self, *(one for one in handler.callbacks if one is not self)]

    def _send(self, told: dict[str, float], args: Any, state: Any, control: Any) -> None:
        handler = self._handler()
        for one in [] if handler is None else handler.callbacks:
            if type(one).__module__.startswith("transformers.integrations"):
                try:
                    one.on_log(args, state, control, logs=dict(told), model=handler.model)
                except Exception as error:
                    warn_once(f"lowtide: {type(one).__name__} does not take memory: {type(error).__name__}: {error}")


def _weigh_first_batch(model: Any, loader: Any) -> Any:
    """Says what waits ahead and is pinned, by the first batch that the model is given: the trainer shows its callbacks
    none. Returns the hook, which then removes itself."""

    def weigh(_module: Any, inputs: Any, named: Any) -> None:
        handle.remove()
        warn_of_loader(loader, [inputs, named])

    try:
        handle = model.register_forward_pre_hook(weigh, with_kwargs=True)
    except (AttributeError, TypeError):  # no module of torch 2
        return None
    return handle


class CleanupCallback(TrainerCallback):
    """lowtide.Cleanup at steps, after evaluations and at the ends of epochs; its table at the end."""

    def __init__(self, cleanup: Cleanup | None = None) -> None:
        self.cleanup = cleanup if cleanup is not None else Cleanup()

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self.cleanup.step()

    def on_evaluate(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self.cleanup.after_evaluation()

    def on_epoch_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self.cleanup.after_epoch()

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        print(self.cleanup, file=sys.stderr)

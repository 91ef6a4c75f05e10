"""For the Trainer of transformers:

    from lowtide.huggingface import MemoryCallback

    trainer = Trainer(..., callbacks=[MemoryCallback(every=10)])

Memory goes into the trainer's own log: to every tracker of `report_to` every N steps, and into the trainer's lines and
`state.log_history` whenever it logs. The trainer adds `train/` to the keys (`train/memory/process_mb`), or `eval/` at an
evaluation. At the end come the verdict, the growth, its line and variable, and the tensors that grew (`callback.report`, and
some lines on standard error).
"""

from __future__ import annotations

import os
import sys
from types import FrameType
from typing import Any, SupportsFloat

from transformers import TrainerCallback

from lowtide._loaders import warn_about_loader
from lowtide._log import warn_once
from lowtide._report import Report
from lowtide._training import TrainingMemory
from lowtide.cleanup import Cleanup

_DEEPEST = 8


class MemoryCallback(TrainerCallback):
    """every: steps between two readings; the other arguments are those of `lowtide.watch()`."""

    def __init__(self, every: int = 10, *, recording: str | os.PathLike[str] | None = None, deep: bool = True,
                 limit: str | SupportsFloat | None = None, quiet: bool = False) -> None:
        self.memory = TrainingMemory(every, recording=recording, deep=deep, limit=limit, quiet=quiet)
        self.memory.phases.begin("init")
        self._unsent: dict[str, float] = {}
        self._sent_step = -1
        self._batch_hook: Any = None
        self._is_evaluating = False

    @property
    def report(self) -> Report | None:
        """Set when the training ends."""
        return self.memory.report

    def on_init_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self.memory.phases.end("init")
        self._go_first()

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._go_first()
        self.memory.begin(self)
        loader, model = kwargs.get("train_dataloader"), kwargs.get("model")
        warn_about_loader(loader)
        # A compiled model would be compiled again for a hook that comes and goes.
        has_batches_ahead = getattr(loader, "num_workers", 0) or getattr(loader, "pin_memory", False)
        if has_batches_ahead and not getattr(args, "torch_compile", False):
            self._batch_hook = _check_first_batch(model, loader)

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        # If the trainer logs this step, the reading goes with it; otherwise it is sent before the next step.
        self._unsent = self.memory.step(state.global_step) or {}
        eval_steps = int(getattr(state, "eval_steps", None) or 0)
        if eval_steps and state.global_step % eval_steps == 0:
            self._expect_evaluation(args)

    def on_epoch_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._expect_evaluation(args)

    def on_prediction_step(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if not self.memory.phases.has_begun("eval"):  # an evaluation that the script itself calls
            self.memory.phases.begin("eval")
        self._is_evaluating = True

    def on_evaluate(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._is_evaluating = False

    on_predict = on_evaluate

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **kwargs: Any) -> None:
        if logs is None or self.memory.watch is None:
            return
        if self._is_evaluating:
            numbers = self.memory.end_evaluation("eval_")
        elif state.global_step == self._sent_step:  # the trainer logs its last step twice, the second time a summary
            return
        else:
            numbers, self._unsent = self._unsent or self.memory.read(), {}
            self._sent_step = state.global_step
        logs.update(numbers)
        if state.log_history and state.log_history[-1].get("step") == state.global_step:
            state.log_history[-1].update(numbers)

    def on_step_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._is_evaluating = False
        if self._unsent:
            numbers, self._unsent = self._unsent, {}
            self._sent_step = state.global_step
            if state.is_world_process_zero:
                self._send(numbers, args, state, control)

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self.on_step_begin(args, state, control)
        if self._batch_hook is not None:
            self._batch_hook.remove()  # there was no batch
            self._batch_hook = None
        kwargs.clear()  # the last snapshot is taken in here: this frame must not be what holds the model
        self.memory.end()
        if state.is_world_process_zero:
            final = self.memory.final_metrics()
            self._send(final, args, state, control)
            state.log_history.append({**final, "step": state.global_step})

    def _expect_evaluation(self, args: Any) -> None:
        """There is no event at the start of an evaluation. So memory is read where one may follow."""
        if str(getattr(args, "eval_strategy", "no")).rpartition(".")[2].lower() != "no":
            self.memory.phases.begin("eval")

    # The trainer has no way for a callback to log, and it calls the trackers of `report_to` before other callbacks, with a
    # dictionary that a callback may change. So this one finds the list of callbacks and moves to its front. It does not
    # read the variables of the training's own frames: before Python 3.13 that keeps copies of them (batches and losses)
    # for as long as a frame lives.

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
            # A new list, because the handler is iterating over the old one.
            handler.callbacks = [self, *(one for one in handler.callbacks if one is not self)]

    def _send(self, numbers: dict[str, float], args: Any, state: Any, control: Any) -> None:
        handler = self._handler()
        for one in [] if handler is None else handler.callbacks:
            if type(one).__module__.startswith("transformers.integrations"):
                try:
                    one.on_log(args, state, control, logs=dict(numbers), model=handler.model)
                except Exception as error:
                    warn_once(f"lowtide: {type(one).__name__} did not log memory: {type(error).__name__}: {error}")


def _check_first_batch(model: Any, loader: Any) -> Any:
    """Checks prefetched and pinned memory with the first batch that the model gets, because the trainer passes no batch to
    its callbacks. Returns the hook, which removes itself."""

    def check(_module: Any, inputs: Any, named: Any) -> None:
        handle.remove()
        warn_about_loader(loader, [inputs, named])

    try:
        handle = model.register_forward_pre_hook(check, with_kwargs=True)
    except (AttributeError, TypeError):  # not a module of torch 2
        return None
    return handle


class CleanupCallback(TrainerCallback):
    """Calls lowtide.Cleanup at steps, after evaluations and at the ends of epochs, and prints its table at the end, once,
    in the first process. With `quiet` it prints nothing: `print(cleanup)` shows the table."""

    def __init__(self, cleanup: Cleanup | None = None, *, quiet: bool = False) -> None:
        self.cleanup = cleanup if cleanup is not None else Cleanup()
        self._quiet = quiet

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self.cleanup.step()

    def on_evaluate(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self.cleanup.after_evaluation()

    def on_epoch_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self.cleanup.after_epoch()

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if state.is_world_process_zero and not self._quiet:
            self.cleanup.print_once()

"""lowtide.Cleanup: the memory cleanup that people write by hand, with measurements.

    cleanup = lowtide.Cleanup(optimizer=optimizer)
    for batch in batches:
        train(batch)
        cleanup.step()
    print(cleanup)

Handwritten cleanup calls `gc.collect()`, `empty_cache()` and `malloc_trim(0)` every few steps, whether it frees anything or
not. Here every call is measured: its time, and the memory that it freed *and that stayed free until the next step*. Memory
that the job takes back at once does not count. At the end an action was needed if it lowered memory by enough on average
(_spared.py). The policy:

- All actions together take at most a share of the time since the start (1% by default), at every moment: an action is called
  when enough time has passed. The expected time of a call is the longest of its last five; before the first call it is
  a cautious estimate from the memory of the process.
- Actions are tried alone, one per step, so that freed memory has one cause.
- An action that frees nothing is tried again for a tenth of the budget, because a job has phases: a cheap one soon, an
  expensive one later. After five such calls it counts as dropped.
- Among actions that free something, the one that frees most per second goes first.

With `every=10` all actions are called every ten steps, as in handwritten code, and are measured too.
"""

from __future__ import annotations

import collections
import dataclasses
import gc
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from lowtide._loaders import memory_limit
from lowtide._readings import device_bytes, own_bytes
from lowtide._spared import Spared
from lowtide._units import format_bytes

_USELESS_IN_A_ROW = 5
_WORTH_BYTES = 1_000_000
_WORTH_SHARE = 0.002  # of the memory of the process
_NEEDED_SHARE = 0.2  # of the job's memory, on average over its steps
_NEEDED_SHARE_IF_CLOSE = 0.01
_CLOSE_SHARE = 0.8  # of the memory limit
_SHARE_FOR_USELESS = 0.1  # of the budget
_SHORTEST_PAUSE_S = 0.3  # between two tries of a dropped action, because a try takes time too
_STEPS_BETWEEN_READINGS = 8
_SHARE_FOR_READINGS = 0.1  # of the budget
_GUESS_S = 0.1  # for the first call of the user's own action
_FIRST_STEPS = 3  # they fill imports, caches and pools


def malloc_trim() -> None:
    """Makes glibc return free memory to the kernel; does nothing if the C library has no such function."""
    trim = _find_trim()
    if trim is not None:
        trim(0)


def _find_trim() -> Any:
    try:
        import ctypes

        return ctypes.CDLL(None).malloc_trim
    except (ImportError, OSError, AttributeError):
        return None


def _collect() -> None:
    gc.collect()


def _empty_cache() -> None:
    cuda = sys.modules.get("torch.cuda")
    if cuda is not None and cuda.is_initialized():
        cuda.empty_cache()


def _waited_s() -> float:
    """Seconds that this thread has waited for a processor. Other programs cause this wait, not the cleanup."""
    try:
        with open("/proc/thread-self/schedstat", "rb") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):  # a kernel without schedstat
        return 0.0


@dataclasses.dataclass
class Action:
    """A call that may free memory, and its measurements."""

    name: str
    call: Callable[[], None]
    calls: int = 0
    freed_bytes: int = 0  # that stayed free until the next step
    came_back_bytes: int = 0  # freed, but in use again at the next step
    took_s: float = 0.0
    longest_s: float = 0.0  # the longest call
    is_dropped: bool = False
    is_for_steps: bool = False  # not after an evaluation, which may come between accumulated batches
    guess_s: float = 0.0  # expected time of the first call
    guess_s_per_mb: float = 0.0  # in addition, per MB of the process

    _useless: int = 0
    _next_chance_s: float = 0.0
    _lately_s: collections.deque[float] = dataclasses.field(default_factory=lambda: collections.deque(maxlen=5))

    @property
    def mean_s(self) -> float:
        return self.took_s / self.calls if self.calls else 0.0

    def _run(self) -> None:
        began_s, waited_s = time.perf_counter(), _waited_s()
        self.call()
        self._lately_s.append(max(0.0, time.perf_counter() - began_s - (_waited_s() - waited_s)))
        self.took_s += self._lately_s[-1]
        self.longest_s = max(self.longest_s, self._lately_s[-1])
        self.calls += 1

    @property
    def _usual_s(self) -> float:
        """The median time of the last calls. A call that was interrupted or freed much says little about the next."""
        return sorted(self._lately_s)[len(self._lately_s) // 2] if self._lately_s else 0.0

    def _expected_s(self, host_bytes: int) -> float:
        """The time that the next call may take, for the budget."""
        return max(self._lately_s) if self._lately_s else self.guess_s + self.guess_s_per_mb * host_bytes / 1e6

    @property
    def _worth(self) -> float:
        """Bytes freed per second; an action that was never tried comes first."""
        return self.freed_bytes / max(self.took_s, 1e-6) if self.calls else float("inf")


@dataclasses.dataclass(frozen=True)
class _Pending:
    action: Action
    host_before: int
    host_after: int
    device_before: int
    device_after: int


class Cleanup:
    """budget      the share of the job's time that all actions together may take
    every       ignore the budget and call every action every N steps
    optimizer   also call its zero_grad(set_to_none=True) after a step, which frees the gradients until the next backward
    actions     your own actions: {"name": function}
    trim        use malloc_trim(0)
    """

    def __init__(self, *, budget: float = 0.01, every: int | None = None, optimizer: Any = None,
                 actions: dict[str, Callable[[], None]] | None = None, trim: bool = True) -> None:
        if not 0 < budget <= 1:
            raise ValueError(f"lowtide: budget={budget} is out of range\n  why:  it is a share of the time, above 0 and at most 1\n"
                             "  try:  budget=0.01")
        if every is not None and every < 1:
            raise ValueError(f"lowtide: every={every} is out of range\n  why:  it is a number of steps, at least 1\n"
                             "  try:  every=10")
        self.budget = budget
        self.every = every
        self.actions: list[Action] = []
        if optimizer is not None:
            def drop_gradients() -> None:
                optimizer.zero_grad(set_to_none=True)

            self.actions.append(Action("zero_grad(set_to_none=True)", drop_gradients, is_for_steps=True, guess_s=0.002))
        # The cheapest come first, because their cost is unknown before the first call.
        if trim and _find_trim() is not None:
            self.actions.append(Action("malloc_trim(0)", malloc_trim, guess_s_per_mb=0.0001))
        cuda = sys.modules.get("torch.cuda")
        if cuda is not None and cuda.is_available():
            self.actions.append(Action("torch.cuda.empty_cache()", _empty_cache, guess_s=0.05))
        self.actions.append(Action("gc.collect()", _collect, guess_s=0.005, guess_s_per_mb=0.0003))
        self.actions += [Action(name, call, guess_s=_GUESS_S) for name, call in (actions or {}).items()]
        self.steps = 0
        self._printed_at_step = -1
        self._began_s = time.perf_counter()
        self._spent_s = 0.0
        self._pending: list[_Pending] = []
        self._host, self._device = Spared(), Spared()
        self._read_step = 0
        self._reading_s = 0.0  # time of a reading
        self._next_reading_s = 0.0
        self._limit = memory_limit()

    # Calls from the training loop.

    def step(self) -> None:
        """Call it after every step of the training."""
        self._visit(all_at_once=False)

    def after_evaluation(self) -> None:
        """Call it after an evaluation or a checkpoint, when much memory has just been freed. It calls all actions that are
        not dropped, within the budget."""
        self._visit(all_at_once=True)

    after_epoch = after_evaluation

    def _visit(self, *, all_at_once: bool) -> None:
        self.steps += 1
        if self._pending or self._is_reading_due():
            # Processor time of this thread: a reading waits only for a processor.
            began_s = time.thread_time()
            self._settle()
            self._reading_s = time.thread_time() - began_s
            self._spent_s += self._reading_s
            self._next_reading_s = time.perf_counter() + self._reading_s / (_SHARE_FOR_READINGS * self.budget)
        if due := self._due(all_at_once):
            began_s, waited_s = time.perf_counter(), _waited_s()
            for action in due:
                self._try(action)
            # The readings around a call are part of its cost.
            self._spent_s += max(0.0, time.perf_counter() - began_s - (_waited_s() - waited_s))

    def _is_reading_due(self) -> bool:
        return self.steps - self._read_step >= _STEPS_BETWEEN_READINGS and time.perf_counter() >= self._next_reading_s

    def _due(self, all_at_once: bool) -> Sequence[Action]:
        fitting = [action for action in self.actions if not (all_at_once and action.is_for_steps)]
        if self.every is not None:
            return fitting if all_at_once or self.steps % self.every == 0 else ()
        if self.steps <= _FIRST_STEPS or self._host.level == 0:  # the level is needed to estimate the time of a call
            return ()
        now_s = time.perf_counter()
        left_s = self.budget * (now_s - self._began_s) - self._spent_s
        if left_s <= 0:
            return ()
        due = sorted((action for action in fitting
                      if now_s >= action._next_chance_s or (all_at_once and not action.is_dropped)),
                     key=lambda action: -action._worth)
        chosen = []
        for action in due:
            # One reading before the call, one after it, and one at the next step.
            cost_s = action._expected_s(self._host.level) + 3 * self._reading_s
            if cost_s <= left_s:
                left_s -= cost_s
                chosen.append(action)
        return chosen if all_at_once else chosen[:1]

    def _try(self, action: Action) -> None:
        host_before, device_before = own_bytes(), (device_bytes() or (0, 0))[1]
        action._run()
        done = _Pending(action, host_before, own_bytes(), device_before, (device_bytes() or (0, 0))[1])
        self._host.freed(action.name, host_before - done.host_after, done.host_after)
        self._device.freed(action.name, device_before - done.device_after, done.device_after)
        self._pending.append(done)

    def _settle(self) -> None:
        """Measures, one step later, how much of the freed memory is still free. If several actions ran, the memory that is
        in use again is split among them in proportion."""
        unread = self.steps - self._read_step
        self._read_step = self.steps
        host, device = own_bytes(), (device_bytes() or (0, 0))[1]
        self._host.after_steps(host, unread)
        self._device.after_steps(device, unread)
        pending, self._pending = self._pending, []
        if not pending:
            return
        back_host = max(0, host - pending[-1].host_after)
        back_device = max(0, device - pending[-1].device_after)
        freed_host = [max(0, one.host_before - one.host_after) for one in pending]
        freed_device = [max(0, one.device_before - one.device_after) for one in pending]
        stayed_host = max(0.0, 1 - back_host / sum(freed_host)) if sum(freed_host) else 0.0
        stayed_device = max(0.0, 1 - back_device / sum(freed_device)) if sum(freed_device) else 0.0
        for one, from_host, from_device in zip(pending, freed_host, freed_device):
            stayed = round(from_host * stayed_host + from_device * stayed_device)
            one.action.freed_bytes += stayed
            one.action.came_back_bytes += from_host + from_device - stayed
            self._learn(one.action, stayed, host)

    def _learn(self, action: Action, freed: int, host: int) -> None:
        if freed >= max(_WORTH_BYTES, _WORTH_SHARE * host):
            action._useless, action._next_chance_s, action.is_dropped = 0, 0.0, False
        else:
            action._useless += 1
            action.is_dropped = self.every is None and action._useless >= _USELESS_IN_A_ROW
            pause_s = action._usual_s / (_SHARE_FOR_USELESS * self.budget)
            action._next_chance_s = time.perf_counter() + max(pause_s, _SHORTEST_PAUSE_S if action.is_dropped else 0)

    # Results.

    @property
    def elapsed_s(self) -> float:
        return time.perf_counter() - self._began_s

    @property
    def spent_share(self) -> float:
        """The share of the time since the start that cleanup and its readings took."""
        return self._spent_s / max(self.elapsed_s, 1e-9)

    def spared_bytes(self, action: Action | None = None) -> int:
        """How much one action, or all of them, lowered memory on average over all steps."""
        names = None if action is None else [action.name]
        return round(self._host.mean(names) + self._device.mean(names))

    @property
    def was_needed(self) -> bool:
        """True if cleanup lowered memory by at least 20%, or by 1% if memory was close to its limit."""
        return self._is_needed(None)

    def _is_needed(self, action: Action | None) -> bool:
        names = None if action is None else [action.name]
        is_close = self._limit is not None and self._host.level > _CLOSE_SHARE * self._limit
        least = _NEEDED_SHARE_IF_CLOSE if is_close else _NEEDED_SHARE
        return any(kind.mean(names) >= least * kind.mean_level > 0 for kind in (self._host, self._device))

    def _lower_words(self, action: Action | None) -> str:
        level = self._host.mean_level + self._device.mean_level
        spared = self.spared_bytes(action)
        return f"at least {format_bytes(spared)} ({spared / max(1.0, level + spared):.0%}) lower on average"

    def _advice(self, action: Action, elapsed_s: float) -> str:
        if not action.calls:
            return "never called: the budget was too small" if self.every is None else "never called"
        if self._is_needed(action):
            return f"keep it: memory was {self._lower_words(action)}"
        times = f"{action.calls:,} call{'' if action.calls == 1 else 's'}"
        words = (f"{action.name} freed {format_bytes(action.freed_bytes)} in {times} and cost "
                 f"{action.took_s / elapsed_s:.1%}: ")
        if action.came_back_bytes > _WORTH_BYTES * action.calls:
            words += f"another {format_bytes(action.came_back_bytes)} was in use again one step later: "
        if action.freed_bytes > _WORTH_BYTES:
            words += f"memory was {self._lower_words(action)}: "
        return words + ("remove it" if self.every is not None else "not needed, dropped" if action.is_dropped else "not needed")

    def table(self) -> str:
        """Action, calls, freed, ms per call, share of time, advice."""
        elapsed_s = self.elapsed_s
        rows = [("action", "calls", "freed", "ms/call", "of time", "")]
        rows += [(action.name, f"{action.calls:,}", format_bytes(action.freed_bytes), f"{action.mean_s * 1e3:.2f}",
                  f"{action.took_s / elapsed_s:.2%}", self._advice(action, elapsed_s)) for action in self.actions]
        widths = [max(len(row[at]) for row in rows) for at in range(5)]
        lines = [("  ".join([row[0].ljust(widths[0]), *(row[at].rjust(widths[at]) for at in range(1, 5)), row[5]])).rstrip()
                 for row in rows]
        lines.append(f"cleanup took {self.spent_share:.2%} of {elapsed_s:.1f} s, "
                     + (f"budget {self.budget:.2%}" if self.every is None else f"every {self.every} steps")
                     + ("" if self.was_needed else "; no action was called" if not any(action.calls for action in self.actions)
                        else f"; no action was needed: memory was {self._lower_words(None)}"))
        return "\n".join(lines)

    def print_once(self) -> None:
        """Prints the table on standard error, unless it was printed after the same step already."""
        if self._printed_at_step != self.steps and sys.stderr is not None:
            self._printed_at_step = self.steps
            print(self.table(), file=sys.stderr)

    def __str__(self) -> str:
        return self.table()

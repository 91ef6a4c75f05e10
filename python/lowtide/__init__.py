"""lowtide: is the memory growth of a training job a leak?

    import lowtide

    with lowtide.watch() as w:              # starts a monitor outside of this process
        for number, batch in enumerate(batches):
            train(batch)
            lowtide.step(number)
    print(w.verdict())

`step` and `phase` mark the progress of a training that cannot be seen from outside (JAX, plain Python, unusual loops).
PyTorch's optimizer steps, train/eval and torch.save are seen without them. Without a monitor both do nothing.

Everything else is imported at its first use, so that importing lowtide costs a training script next to nothing.
"""

from __future__ import annotations

import sys

__version__ = "0.1.0"  # as in CMakeLists.txt; tests/package compares it with `lowtide --version`

TYPE_CHECKING = False  # importing typing would take longer than importing lowtide
if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from typing import Any

    from lowtide._answer import Answer as Answer
    from lowtide._judge import judge as judge
    from lowtide._loaders import LoaderWarning as LoaderWarning
    from lowtide._loaders import check_loader as check_loader
    from lowtide._readings import metrics as metrics
    from lowtide._recording import Recording as Recording
    from lowtide._recording import open as open
    from lowtide._report import Finding as Finding
    from lowtide._report import Report as Report
    from lowtide._report import Verdict as Verdict
    from lowtide._watch import Watch as Watch
    from lowtide._watch import watch as watch
    from lowtide.cleanup import Cleanup as Cleanup
    from lowtide.loop import MemoryLog as MemoryLog

_LATER = {
    "Answer": "lowtide._answer",
    "Cleanup": "lowtide.cleanup",
    "Finding": "lowtide._report",
    "LoaderWarning": "lowtide._loaders",
    "MemoryLog": "lowtide.loop",
    "Recording": "lowtide._recording",
    "Report": "lowtide._report",
    "Verdict": "lowtide._report",
    "Watch": "lowtide._watch",
    "check_loader": "lowtide._loaders",
    "judge": "lowtide._judge",
    "metrics": "lowtide._readings",
    "open": "lowtide._recording",
    "watch": "lowtide._watch",
}

__all__ = ["Answer", "Cleanup", "Finding", "LoaderWarning", "MemoryLog", "Recording", "Report", "Verdict", "Watch",
           "__version__", "check_loader", "judge", "metrics", "open", "phase", "step", "watch"]


def __getattr__(name: str) -> Any:
    module = _LATER.get(name)
    if module is None:
        raise AttributeError(f"module 'lowtide' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__


def _agent_hook(name: str) -> Any:
    return getattr(sys, "_lowtide", {}).get(name)  # the agent sets it


def step(number: int | None = None) -> None:
    """Counts one step; `number` sets the step instead."""
    mark = _agent_hook("step")
    if mark is not None:
        mark(number)


class _NullPhase:
    def __enter__(self) -> None:
        pass

    def __exit__(self, *_error: object) -> None:
        pass


def phase(name: str) -> AbstractContextManager[Any]:
    """A context manager: the code inside it is the phase `name`."""
    begin = _agent_hook("phase")
    context: AbstractContextManager[Any] = _NullPhase() if begin is None else begin(name)
    return context

"""lowtide: is the memory growth of a training job a leak?

    import lowtide

    with lowtide.watch() as w:              # a monitor outside of this process
        for number, batch in enumerate(batches):
            train(batch)
            lowtide.step(number)
    print(w.verdict())

`step` and `phase` tell where a training stands, where that cannot be seen from outside (JAX, plain Python, odd loops);
optimizer steps, train/eval and torch.save of PyTorch are seen without them. Where nobody watches, both do nothing.

Everything else is imported when it is first used: importing lowtide costs a training script nothing.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # typing itself would be most of what an import of this costs
if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from typing import Any

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

__all__ = ["Cleanup", "Finding", "LoaderWarning", "MemoryLog", "Recording", "Report", "Verdict", "Watch", "check_loader",
           "judge", "metrics", "open", "phase", "step", "watch"]


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


def _told_by(name: str) -> Any:
    return getattr(sys, "_lowtide", {}).get(name)  # the agent puts it there


def step(number: int | None = None) -> None:
    """One step more; or the step's own number."""
    tell = _told_by("step")
    if tell is not None:
        tell(number)


class _Untold:
    def __enter__(self) -> None:
        pass

    def __exit__(self, *_error: object) -> None:
        pass


def phase(name: str) -> AbstractContextManager[Any]:
    """A context: what runs in it is the phase of that name."""
    begin = _told_by("phase")
    told: AbstractContextManager[Any] = _Untold() if begin is None else begin(name)
    return told

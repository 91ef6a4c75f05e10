"""For Accelerate:

    from lowtide.accelerate import MemoryLog

    with MemoryLog(accelerator, every=10) as memory:
        for number, batch in enumerate(loader):
            ...
            memory.step(number)
    print(memory.report)

Memory goes to the accelerator's trackers every N steps. With several processes each one watches itself, and the main one
logs.
"""

from __future__ import annotations

import os
from typing import Any, SupportsFloat

from lowtide import loop
from lowtide._loaders import warn_about_loader


class MemoryLog(loop.MemoryLog):
    """every: steps between two readings; the other arguments are those of `lowtide.watch()`."""

    def __init__(self, accelerator: Any, every: int = 10, *, recording: str | os.PathLike[str] | None = None,
                 deep: bool = True, limit: str | SupportsFloat | None = None, quiet: bool = False) -> None:
        super().__init__(lambda numbers, step: accelerator.log(numbers, step=step), every, recording=recording, deep=deep,
                         limit=limit, quiet=quiet)
        self._accelerator = accelerator

    def __enter__(self) -> MemoryLog:
        for loader in getattr(self._accelerator, "_dataloaders", ()):
            warn_about_loader(loader)
        super().__enter__()
        return self

"""For Accelerate:

    from lowtide.accelerate import MemoryLog

    with MemoryLog(accelerator, every=10) as memory:
        for number, batch in enumerate(loader):
            ...
            memory.step(number)
    print(memory.report)

Memory goes to the accelerator's trackers every N steps. Of several processes each watches itself; the main one logs.
"""

from __future__ import annotations

import os
from typing import Any

from lowtide import loop


class MemoryLog(loop.MemoryLog):
    """every: steps between two readings; the rest as in `lowtide.watch()`."""

    def __init__(self, accelerator: Any, every: int = 10, *, recording: str | os.PathLike[str] | None = None,
                 deep: bool = True, limit: str | None = None, quiet: bool = False) -> None:
        super().__init__(lambda told, number: accelerator.log(told, step=number), every, recording=recording, deep=deep,
                         limit=limit, quiet=quiet)

"""How much lower memory is for what was freed: not what all calls freed together, which a job may take back and free
again for ever, but what was free because of them, on average over all steps.

What an action frees is spared until memory rises again: a rise is taken to be the job taking back what was freed. Of a
job that grows for reasons of its own this says too little, and never too much.
"""

from __future__ import annotations

from collections.abc import Sequence


class Spared:
    """One kind of memory, and what several actions spare of it; `name` of an action is the key."""

    def __init__(self) -> None:
        self._now: dict[str, float] = {}
        self._sum: dict[str, float] = {}
        self._level = 0
        self._level_sum = 0.0
        self._steps = 0

    def after_steps(self, level: int, steps: int) -> None:
        """Memory as the last of so many steps left it, before anything is freed."""
        whole = sum(self._now.values())
        risen = max(0, level - self._level)
        if whole > 0 and risen > 0:
            left = max(0.0, 1 - risen / whole)
            self._now = {name: spared * left for name, spared in self._now.items()}
        for name, spared in self._now.items():
            self._sum[name] = self._sum.get(name, 0.0) + spared * steps
        self._level = level
        self._level_sum += level * steps
        self._steps += steps

    def freed(self, name: str, size: int, level: int) -> None:
        if size > 0:
            self._now[name] = self._now.get(name, 0.0) + size
        self._level = level

    def mean(self, names: Sequence[str] | None = None) -> float:
        """Bytes, on average over all steps."""
        chosen = self._sum if names is None else {name: self._sum.get(name, 0.0) for name in names}
        return sum(chosen.values()) / self._steps if self._steps else 0.0

    @property
    def mean_level(self) -> float:
        return self._level_sum / self._steps if self._steps else 0.0

    @property
    def level(self) -> int:
        return self._level

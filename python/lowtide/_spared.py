"""How much cleanup lowers memory on average over all steps. This is not the sum of what all calls freed: a job may take
the same memory back again and again.

Freed memory counts as spared until memory rises again, because a rise is taken for the job using the freed memory again. For
a job that grows for another reason the result is too low, never too high.
"""

from __future__ import annotations

from collections.abc import Sequence


class Spared:
    """One kind of memory, and how much of it each action spares, by the name of the action."""

    def __init__(self) -> None:
        self._now: dict[str, float] = {}
        self._sum: dict[str, float] = {}
        self._level = 0
        self._level_sum = 0.0
        self._steps = 0

    def after_steps(self, level: int, steps: int) -> None:
        """`level`: memory after the last of `steps` steps, before anything is freed."""
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

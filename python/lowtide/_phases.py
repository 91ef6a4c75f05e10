"""Growth of memory per phase of a training, for the trainer's log.

`skip_memory_metrics=False` of transformers logs the same for its Trainer. Here it works with every trainer, and the peaks
come from the recording, which knows the phases.
"""

from __future__ import annotations

import os
import re

from lowtide._readings import own_bytes, to_mb
from lowtide._report import Report

_MOST_PHASES = 8  # names of phases are free text; a log needs a bounded number of keys


class PhaseGrowth:
    """Memory of this process from the begin to the end of each phase."""

    def __init__(self) -> None:
        self._before: dict[str, int] = {}
        self._growth: dict[str, int] = {}

    def begin(self, name: str) -> None:
        self._before[name] = own_bytes()

    def has_begun(self, name: str) -> bool:
        return name in self._before

    def end(self, name: str) -> int | None:
        """The growth in bytes, negative if memory was freed; None for a phase that did not begin."""
        before = self._before.pop(name, None)
        if before is None:
            return None
        self._growth[name] = own_bytes() - before
        return self._growth[name]

    def metrics(self) -> dict[str, float]:
        """`memory/PHASE_growth_mb` of the latest visit to each phase."""
        return {f"memory/{name}_growth_mb": to_mb(growth) for name, growth in self._growth.items()}


def recorded_phases(report: Report) -> dict[str, float]:
    """`memory/PHASE_peak_mb` and `memory/PHASE_kept_mb` of this process, for the phases in the recording."""
    numbers: dict[str, float] = {}
    for phase in [one for one in report.phases if one["pid"] == os.getpid()][:_MOST_PHASES]:
        name = re.sub(r"[^A-Za-z0-9_.-]+", "_", phase["name"])[:40]
        if phase["peak_bytes"]:
            numbers[f"memory/{name}_peak_mb"] = to_mb(phase["peak_bytes"])
        numbers[f"memory/{name}_kept_mb"] = to_mb(phase["kept_bytes"])
    return numbers

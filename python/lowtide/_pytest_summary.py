"""`pytest --lowtide`: the memory of every test, and a list of the highest peaks.

The numbers are properties of the reports of pytest. So they come from the workers of xdist too, and JUnit files have them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

from lowtide._pytest_limits import reset_peak, status_bytes
from lowtide._readings import own_bytes, to_mb

MOST_TESTS = 10


@contextlib.contextmanager
def measure_test(item: pytest.Item) -> Iterator[None]:
    """Peak and growth of this process during the call of the test."""
    is_reset, resident, before = reset_peak(), status_bytes("VmRSS"), own_bytes()
    yield
    peak = status_bytes("VmHWM" if is_reset else "VmRSS") - resident
    item.user_properties += [("memory_peak_mb", to_mb(max(0, peak))), ("memory_growth_mb", to_mb(own_bytes() - before))]


class Summary:
    """Collects the numbers of all tests, and prints those with the highest peaks."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._tests: list[tuple[float, float, str]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        numbers = dict(report.user_properties)
        if report.when == "call" and "memory_peak_mb" in numbers:
            self._tests.append((_number(numbers, "memory_peak_mb"), _number(numbers, "memory_growth_mb"), report.nodeid))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if not self._tests or self._most <= 0:
            return
        terminalreporter.section("lowtide: memory per test, highest peak first")
        terminalreporter.write_line(f"{'peak MB':>10}  {'growth MB':>10}  test")
        for peak, growth, name in sorted(self._tests, key=lambda one: -one[0])[:self._most]:
            terminalreporter.write_line(f"{peak:10.1f}  {growth:+10.1f}  {name}")


def _number(numbers: dict[str, object], key: str) -> float:
    value = numbers.get(key)
    return float(value) if isinstance(value, (int, float)) else 0.0

"""Sizes and times as text, with the rules of the program (src/base/units.h): "MB" is 10^6 bytes and "MiB" is 2^20, in input
and output; a single letter ("20G") is a power of 1024."""

from __future__ import annotations

import math
import re
from typing import Any, SupportsFloat

_LETTERS = "kmgt"
_SECONDS = {"ms": 1e-3, "": 1.0, "s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}


def parse_size(value: str | SupportsFloat, name: str = "size") -> int:
    """Bytes from a number or a text such as "500MB", "20G", "17.5 GiB". `name`: the argument, for the error message."""
    wrong = _Wrong(name, value, "a size", f'{name}="20GB", or {name}=20e9 for a number of bytes')
    if not isinstance(value, str):
        return int(wrong.number())
    hit = re.fullmatch(r"\s*([0-9][0-9,]*(?:\.[0-9]*)?)\s*(?:([kmgt])(i?b)?|b)?\s*", value, re.IGNORECASE)
    if hit is None:
        raise wrong.error("it is not a number with a unit (kB, MB, GB, TB, KiB, MiB, GiB, TiB)")
    number = float(hit[1].replace(",", ""))
    if hit[2] is None:
        return int(number)
    power = _LETTERS.index(hit[2].lower()) + 1
    base = 1000 if (hit[3] or "").lower() == "b" else 1024
    return round(number * float(base**power))


def parse_seconds(value: str | SupportsFloat, name: str = "time") -> float:
    """Seconds from a number or a text such as "500ms", "2.5 min", "1h". `name`: the argument, for the error message."""
    wrong = _Wrong(name, value, "a time", f'{name}="500ms", or {name}=0.5 for a number of seconds')
    if not isinstance(value, str):
        return wrong.number()
    hit = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]*)?)\s*([a-z]*)\s*", value)
    if hit is None or hit[2] not in _SECONDS:
        raise wrong.error("it is not a number with a unit (ms, s, min, h, d)")
    return float(hit[1]) * _SECONDS[hit[2]]


class _Wrong:
    """A value of an argument, and the error message for it: what, why, what to try."""

    def __init__(self, name: str, value: Any, kind: str, example: str) -> None:
        self._what = f"lowtide: {name}={value!r} is not {kind}"
        self._value = value
        self._example = example

    def error(self, why: str) -> ValueError:
        return ValueError(f"{self._what}\n  why:  {why}\n  try:  {self._example}")

    def number(self) -> float:
        """The value as a finite number that is not negative. Numbers of numpy are accepted."""
        if isinstance(self._value, bool) or not hasattr(self._value, "__float__"):
            raise TypeError(str(self.error(f"it is of type {type(self._value).__name__}")))
        number = float(self._value)
        if not 0 <= number < math.inf:
            raise self.error("it is negative or not finite")
        return number


def format_bytes(count: float) -> str:
    """Three significant digits and a unit: "92.0 kB", "5.80 MB", "17.4 GB"."""
    size = abs(count)
    for scale, unit in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= scale * 0.9995:
            value = count / scale
            digits = 2 if abs(value) < 9.995 else 1 if abs(value) < 99.95 else 0
            return f"{value:.{digits}f} {unit}"
    return f"{count:.0f} B"

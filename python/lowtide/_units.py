"""Sizes as people write and read them, by the rules of the program (src/base/units.h): "MB" is 10^6 bytes and "MiB"
2^20, in what we print and in what we read; a bare letter ("20G") is a power of 1024."""

from __future__ import annotations

import re

_LETTERS = "kmgt"


def parse_size(text: str | float) -> int:
    """"500MB", "20G", "17.5 GiB"; a number is bytes."""
    if isinstance(text, (int, float)):
        return int(text)
    hit = re.fullmatch(r"\s*([0-9][0-9,]*(?:\.[0-9]*)?)\s*(?:([kmgt])(i?b)?|b)?\s*", text, re.IGNORECASE)
    if hit is None:
        raise ValueError(f"{text!r} is not a size such as 500M, 20G or 17.5GB")
    number = float(hit[1].replace(",", ""))
    if hit[2] is None:
        return int(number)
    power = _LETTERS.index(hit[2].lower()) + 1
    base = 1000 if (hit[3] or "").lower() == "b" else 1024
    return round(number * float(base**power))


def format_bytes(count: float) -> str:
    """Three significant digits and a unit: "92.0 kB", "5.80 MB", "17.4 GB"."""
    size = abs(count)
    for scale, unit in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= scale * 0.9995:
            value = count / scale
            digits = 2 if abs(value) < 9.995 else 1 if abs(value) < 99.95 else 0
            return f"{value:.{digits}f} {unit}"
    return f"{count:.0f} B"

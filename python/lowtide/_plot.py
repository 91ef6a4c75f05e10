"""A curve as SVG, for notebooks: no script, no network, no library."""

from __future__ import annotations

import html
from collections.abc import Sequence

from lowtide._units import format_bytes

_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 640, 200, 70, 24
_MOST_POINTS = 600


def _thinned(curve: Sequence[tuple[float, float]]) -> Sequence[tuple[float, float]]:
    if len(curve) <= _MOST_POINTS:
        return curve
    return [curve[number * (len(curve) - 1) // (_MOST_POINTS - 1)] for number in range(_MOST_POINTS)]


def plot(curve: Sequence[tuple[float, float]], axis: str = "s", level: float | None = None) -> str:
    """A curve of (time or step, bytes), with the level of its plateau; empty for fewer than two points."""
    points = [(x, y) for x, y in _thinned(curve) if x == x and y == y]
    if len(points) < 2:
        return ""
    first, last = points[0][0], points[-1][0]
    low, high = min(y for _, y in points), max(y for _, y in points)
    width, height = _WIDTH - _LEFT - 8, _HEIGHT - _BOTTOM - 8
    across, up = (last - first) or 1.0, (high - low) or 1.0
    line = " ".join(f"{_LEFT + (x - first) / across * width:.1f},{8 + (high - y) / up * height:.1f}" for x, y in points)

    def word(x: float, y: float, text: str, anchor: str) -> str:
        return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{html.escape(text)}</text>'

    plateau = ""
    if level is not None and low <= level <= high:
        y = 8 + (high - level) / up * height
        plateau = (f'<line x1="{_LEFT}" x2="{_WIDTH - 8}" y1="{y:.1f}" y2="{y:.1f}" stroke="currentColor" stroke-dasharray="4 4"/>'
                   + word(_WIDTH - 12, y - 4, f"plateau {format_bytes(level)}", "end"))
    return (f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}" role="img" '
            'aria-label="memory over time" font-size="11" font-family="sans-serif" fill="currentColor">'
            f'<polyline points="{line}" fill="none" stroke="#1f77b4" stroke-width="1.5"/>' + plateau
            + word(_LEFT - 6, 16, format_bytes(high), "end") + word(_LEFT - 6, _HEIGHT - _BOTTOM, format_bytes(low), "end")
            + word(_LEFT, _HEIGHT - 6, f"{first:g} {axis}", "start") + word(_WIDTH - 8, _HEIGHT - 6, f"{last:g} {axis}", "end")
            + "</svg>")

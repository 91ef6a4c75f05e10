"""The lines that a callback prints at the end of a training: the answer, the fix, what holds the growth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lowtide._report import Report
from lowtide._text import readable
from lowtide._units import format_bytes

if TYPE_CHECKING:
    from lowtide import _report_types as types

_LARGE_BYTES = 1_000_000
_LEAST_SHARE = 0.1  # of the growth; what holds less does not explain it


def closing_lines(report: Report, most: int = 3) -> list[str]:
    verdict, answer = report.verdict, report.answer
    lines = [f"lowtide: {verdict}"] if answer is None else f"lowtide: {answer}".splitlines()
    lines.append(f"  floor {format_bytes(verdict.floor_first_bytes)} -> {format_bytes(verdict.floor_last_bytes)}"
                 f" over {report.raw.get('source', {}).get('steps') or 0} steps")
    lines += report.count_lines()
    if answer is None:
        first, others = report.problems[:1], report.problems[1:most]
        lines += ["  " + line for one in first for line in str(one).splitlines()]
        lines += [f"  also: {readable(one.title)}" for one in others]
    return [*lines, *_holder_lines(report, most), *_tensor_lines(report, most)]


def holders_of_growth(report: Report, growth_bytes: float) -> list[types.Holder]:
    """The variables that hold a part of the growth that matters."""
    return [one for one in report.holders if (one["growth_bytes"] or 0) > max(0.0, _LEAST_SHARE * growth_bytes)]


def _holder_lines(report: Report, most: int) -> list[str]:
    holders = holders_of_growth(report, report.verdict.growth_bytes)[:most]
    return ["  held by:", *(readable(f"    {one['path']} ({one['type']}), +{format_bytes(one['growth_bytes'] or 0)}")
                            for one in holders)] if holders else []


def _tensor_lines(report: Report, most: int) -> list[str]:
    lines = []
    grown = [one for one in report.tensors if (one["growth_bytes"] or 0) > 0]
    if grown:
        lines.append("  tensors that grew:")
        lines += [f"    {_describe(one)}, +{format_bytes(one['growth_bytes'] or 0)}" for one in grown[:most]]
    large = sorted((one for one in report.tensors if one["bytes"] >= _LARGE_BYTES), key=lambda one: -one["bytes"])
    if large:
        lines.append("  largest tensors:")
        lines += [f"    {_describe(one)}" for one in large[:most]]
    return lines


def _describe(one: types.Tensors) -> str:
    return f"{one['count']} x {one['device']} {one['dtype']} {one['shape']}, {format_bytes(one['bytes'])}"

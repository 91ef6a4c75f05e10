"""What lowtide says, with types: the report of docs/json.md as the program writes it.

The classes name what people ask for; `raw` has all of it, as in the JSON. The types of the JSON itself are made from its
description (`_report_types.py`), so that mypy refuses a field here that the report does not have.
"""

from __future__ import annotations

import dataclasses
import html
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from lowtide._units import format_bytes

if TYPE_CHECKING:
    from lowtide import _report_types as types

Json = Mapping[str, Any]
_LARGE_BYTES = 1_000_000


@dataclasses.dataclass(frozen=True)
class Rate:
    """Growth of the floor per step or second, with its 95 % interval."""

    bytes: float
    low: float
    high: float
    per: str


@dataclasses.dataclass(frozen=True)
class Verdict:
    """leak, warmup, spikes, stable or inconclusive: the shape of a series."""

    kind: str
    confidence: float
    reason: str
    axis: str = "time"
    samples: int = 0
    rate: Rate | None = None
    floor_first_bytes: int = 0
    floor_last_bytes: int = 0
    warmup_end_step: float | None = None
    warmup_end_s: float | None = None
    plateau_bytes: int | None = None
    spike_bytes: int | None = None
    needs: str | None = None
    lean: str | None = None
    lean_confidence: float | None = None
    basis: Sequence[str] = ("series",)
    raw: Json = dataclasses.field(default_factory=dict, repr=False, compare=False)
    curve: Sequence[tuple[float, float]] = dataclasses.field(default=(), repr=False, compare=False)  # of judge()

    @property
    def is_leak(self) -> bool:
        return self.kind == "leak"

    @property
    def growth_bytes(self) -> int:
        """From the first floor to the last; below zero where it fell."""
        return self.floor_last_bytes - self.floor_first_bytes

    def __str__(self) -> str:
        words = f"{self.kind} ({self.confidence:.0%}): {self.reason}"
        return words if self.needs is None else f"{words}; {self.needs}"

    def _repr_html_(self) -> str:
        from lowtide._plot import plot

        axis = "step" if self.axis == "step" else "s" if self.axis == "time" else self.axis
        return f"<div><p><b>{html.escape(str(self))}</b></p>{plot(self.curve, axis, self.plateau_bytes)}</div>"

    @staticmethod
    def unknown(reason: str) -> Verdict:
        """Nothing was seen. Not an error: a training goes on without us."""
        return Verdict("inconclusive", 0.0, reason)

    @staticmethod
    def from_json(told: Json) -> Verdict:
        seen = cast("types.Verdict", told)
        rate, floor, end, lean = seen["rate"], seen["floor"], seen["warmup_end"], seen["lean"]
        return Verdict(
            kind=seen["kind"], confidence=float(seen["confidence"]), reason=seen["reason"], axis=seen["axis"],
            samples=seen["samples"],
            rate=Rate(float(rate["bytes"]), float(rate["low"]), float(rate["high"]), rate["per"]) if rate else None,
            floor_first_bytes=floor["first_bytes"] or 0, floor_last_bytes=floor["last_bytes"] or 0,
            warmup_end_step=end["step"] if end else None, warmup_end_s=end["seconds"] if end else None,
            plateau_bytes=seen["plateau_bytes"], spike_bytes=seen["spike_bytes"], needs=seen["needs"],
            lean=lean["kind"] if lean else None, lean_confidence=lean["confidence"] if lean else None,
            basis=tuple(seen["basis"]), raw=told)


@dataclasses.dataclass(frozen=True)
class Finding:
    """A claim: what, where, how sure, evidence, fix."""

    id: str
    severity: str
    title: str
    mechanism: str | None
    file: str | None
    line: int | None
    function: str | None
    holder: str | None
    evidence: Sequence[str]
    fix: str | None
    ruled_out: bool
    raw: Json = dataclasses.field(default_factory=dict, repr=False, compare=False)

    @property
    def where(self) -> str | None:
        return None if self.file is None else f"{self.file}:{self.line}"

    def __str__(self) -> str:
        lines = [self.title]
        if self.where is not None:
            lines.append(f"  where:  {self.where}" + (f" in {self.function}" if self.function else ""))
        if self.holder:
            lines.append(f"  holder: {self.holder}")
        lines += [f"  - {fact}" for fact in self.evidence]
        if self.fix:
            lines.append(f"  fix:    {self.fix}")
        return "\n".join(lines)

    @staticmethod
    def from_json(told: Json) -> Finding:
        seen = cast("types.Finding", told)
        where = seen["where"]
        return Finding(
            id=seen["id"], severity=seen["severity"], title=seen["title"], mechanism=seen["mechanism"],
            file=where["file"], line=where["line"], function=where["function"], holder=where["holder"],
            evidence=tuple(seen["evidence"]), fix=seen["fix"], ruled_out=seen["ruled_out"], raw=told)


@dataclasses.dataclass(frozen=True)
class Report:
    """What was seen of a run, and what it means."""

    verdict: Verdict
    findings: Sequence[Finding] = ()
    raw: Json = dataclasses.field(default_factory=dict, repr=False, compare=False)
    curve: Sequence[tuple[float, float]] = dataclasses.field(default=(), repr=False, compare=False)

    @property
    def holders(self) -> Sequence[types.Holder]:
        """The variables that keep what grew, the largest first."""
        return tuple(self.raw.get("holders") or ())

    @property
    def tensors(self) -> Sequence[types.Tensors]:
        """Tensors by device, type and shape, with what each kind grew by."""
        return tuple(self.raw.get("tensors") or ())

    @property
    def sites(self) -> Sequence[types.Site]:
        """The lines that allocate, the one that grew most first."""
        return tuple(self.raw.get("sites") or ())

    @property
    def problems(self) -> Sequence[Finding]:
        """The findings that ask for something to be done."""
        return tuple(one for one in self.findings if not one.ruled_out and one.severity != "info")

    def __str__(self) -> str:
        return "\n".join([f"lowtide: {self.verdict}", *(str(one) for one in self.problems)])

    @staticmethod
    def from_json(told: Json, curve: Sequence[tuple[float, float]] = ()) -> Report:
        seen = cast("types.Report", told)
        return Report(Verdict.from_json(seen["verdict"]), tuple(Finding.from_json(one) for one in seen["findings"]), told, curve)

    def _repr_html_(self) -> str:
        from lowtide._plot import plot

        rows = "".join(
            f"<tr><td>{html.escape(one.severity)}</td><td>{html.escape(one.title)}</td>"
            f"<td>{html.escape(one.where or '')}</td><td>{html.escape(one.holder or '')}</td></tr>" for one in self.problems)
        table = f"<table><tr><th></th><th>finding</th><th>where</th><th>holder</th></tr>{rows}</table>" if rows else ""
        shown = plot(self.curve, level=self.verdict.plateau_bytes)
        return f"<div><p><b>{html.escape(str(self.verdict))}</b></p>{shown}{table}</div>"


def growth_words(report: Report, most: int = 3) -> list[str]:
    """The end of a training in some lines: growth, who holds it, which tensors it is made of."""
    verdict = report.verdict
    lines = [f"lowtide: {verdict}"]
    lines.append(f"  floor {format_bytes(verdict.floor_first_bytes)} -> {format_bytes(verdict.floor_last_bytes)}"
                 f" over {report.raw.get('source', {}).get('steps', 0)} steps")
    first, others = report.problems[:1], report.problems[1:most]
    lines += ["  " + line for one in first for line in str(one).splitlines()]
    lines += [f"  also: {one.title}" for one in others]
    kept = [one for one in report.holders if (one["growth_bytes"] or 0) > 0]
    if kept:
        lines.append("  held by:")
        lines += [f"    {one['path']} ({one['type']}), +{format_bytes(one['growth_bytes'] or 0)}" for one in kept[:most]]
    grown = [one for one in report.tensors if (one["growth_bytes"] or 0) > 0]
    if grown:
        lines.append("  tensors that grew:")
        lines += [f"    {_tensor_words(one)}, +{format_bytes(one['growth_bytes'] or 0)}" for one in grown[:most]]
    large = sorted((one for one in report.tensors if one["bytes"] >= _LARGE_BYTES), key=lambda one: -one["bytes"])
    if large:
        lines.append("  tensors that are large:")
        lines += [f"    {_tensor_words(one)}" for one in large[:most]]
    return lines


def _tensor_words(one: types.Tensors) -> str:
    return f"{one['device']} {one['dtype']} {one['shape']}: {one['count']} of them, {format_bytes(one['bytes'])}"

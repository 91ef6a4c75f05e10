"""Reports, verdicts and findings as Python types.

The classes have the fields that scripts use most; `raw` has the whole JSON (docs/json.md). The types of the JSON itself are
generated (`_report_types.py`), so mypy refuses a field here that the JSON does not have.
"""

from __future__ import annotations

import dataclasses
import html
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

from lowtide._answer import Answer
from lowtide._text import readable

if TYPE_CHECKING:
    from lowtide import _report_types as types

Json = Mapping[str, Any]
VerdictKind = Literal["leak", "warmup", "spikes", "stable", "inconclusive"]
Severity = Literal["critical", "high", "medium", "low", "info"]


@dataclasses.dataclass(frozen=True)
class Rate:
    """Growth of the floor per step or second, with its 95% interval."""

    bytes: float
    low: float
    high: float
    per: Literal["step", "second"]


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What a series of memory readings does: leak, warmup, spikes, stable or inconclusive."""

    kind: VerdictKind
    confidence: float  # of an inconclusive verdict: that it is right to leave it open
    reason: str
    axis: Literal["step", "time"] = "time"
    samples: int = 0
    rate: Rate | None = None
    floor_first_bytes: int = 0
    floor_last_bytes: int = 0
    warmup_end_step: float | None = None
    warmup_end_s: float | None = None
    plateau_bytes: int | None = None
    spike_bytes: int | None = None
    needs: str | None = None  # inconclusive: what would settle it
    lean: VerdictKind | None = None  # inconclusive: the most likely kind
    lean_confidence: float | None = None
    basis: Sequence[str] = ("series",)
    raw: Json = dataclasses.field(default_factory=dict, repr=False, compare=False)
    curve: Sequence[tuple[float, float]] = dataclasses.field(default=(), repr=False, compare=False)  # of judge()

    @property
    def is_leak(self) -> bool:
        return self.kind == "leak"

    @property
    def growth_bytes(self) -> int:
        """From the first floor to the last; negative if the floor fell."""
        return self.floor_last_bytes - self.floor_first_bytes

    def __str__(self) -> str:
        text = f"{self._kind_with_confidence()}: {self.reason}"
        return readable(text if self.needs is None else f"{text}; {self.needs}")

    def _kind_with_confidence(self) -> str:
        # The confidence of an inconclusive verdict is about leaving it open. Readers take it for that of a leak.
        if self.kind != "inconclusive":
            return f"{self.kind} ({self.confidence:.0%})"
        if self.lean is None or self.lean_confidence is None:
            return self.kind
        return f"{self.kind}, leans to {self.lean} ({self.lean_confidence:.0%})"

    def _repr_html_(self) -> str:
        from lowtide._plot import plot

        axis = "step" if self.axis == "step" else "s" if self.axis == "time" else self.axis
        return f"<div><p><b>{html.escape(str(self))}</b></p>{plot(self.curve, axis, self.plateau_bytes)}</div>"

    @staticmethod
    def unknown(reason: str) -> Verdict:
        """Nothing was measured. This is not an error: the training continues without lowtide."""
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
    """A claim with its place, evidence and fix."""

    id: str
    severity: Severity
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
        """`train.py:30`, or `cell [3], line 3` of a notebook."""
        return None if self.file is None else readable(f"{self.file}:{self.line}")

    def __str__(self) -> str:
        return "\n".join(self._lines(with_fix=True))

    def _lines(self, *, with_fix: bool) -> list[str]:
        lines = [self.title]
        if self.where is not None:
            lines.append(f"  where:  {self.where}" + (f" in {self.function}" if self.function else ""))
        if self.holder:
            lines.append(f"  held by {self.holder}")
        lines += [f"  - {fact}" for fact in self.evidence]
        if self.fix and with_fix:
            lines.append(f"  fix:    {self.fix}")
        return [readable(line) for line in lines]

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
    """What was measured of a run, and what it means."""

    verdict: Verdict
    findings: Sequence[Finding] = ()
    raw: Json = dataclasses.field(default_factory=dict, repr=False, compare=False)
    curve: Sequence[tuple[float, float]] = dataclasses.field(default=(), repr=False, compare=False)
    answer: Answer | None = None  # None: the program that wrote the report has none
    readings: int | None = None  # of the process tree in the recording; `verdict.samples` is how many were judged

    @property
    def holders(self) -> Sequence[types.Holder]:
        """The variables that hold what grew, the largest growth first."""
        return tuple(self.raw.get("holders") or ())

    @property
    def tensors(self) -> Sequence[types.Tensors]:
        """Tensors by device, type and shape, with the growth of each group."""
        return tuple(self.raw.get("tensors") or ())

    @property
    def sites(self) -> Sequence[types.Site]:
        """The lines that allocate, the largest growth first."""
        return tuple(self.raw.get("sites") or ())

    @property
    def phases(self) -> Sequence[types.Phase]:
        """The phases of the training (train, eval, checkpoint, or your own): peak, and memory that each keeps."""
        return tuple(self.raw.get("phases") or ())

    @property
    def problems(self) -> Sequence[Finding]:
        """The findings that need a change."""
        return tuple(one for one in self.findings if not one.ruled_out and one.severity != "info")

    def count_lines(self) -> list[str]:
        """Why an inconclusive verdict has fewer samples than the recording has readings. Otherwise nothing."""
        judged = self.verdict.samples
        if self.verdict.kind != "inconclusive" or self.readings is None or self.readings <= judged:
            return []
        return [f"  {judged} of {self.readings} readings were judged: those during the start, and those while processes started or "
                "ended, are not"]

    def __str__(self) -> str:
        """The answer, then the findings with their evidence. One fix is printed once."""
        if self.answer is None:
            return "\n".join([f"lowtide: {self.verdict}", *self.count_lines(), *(str(one) for one in self.problems)])
        lines = [f"lowtide: {self.answer}", readable(f"  reason: {self.verdict.reason}"), *self.count_lines()]
        for one in self.problems:
            lines += one._lines(with_fix=one.fix != self.answer.fix)
        return "\n".join(lines)

    @staticmethod
    def from_json(told: Json, curve: Sequence[tuple[float, float]] = (), readings: int | None = None) -> Report:
        seen = cast("types.Report", told)
        return Report(Verdict.from_json(seen["verdict"]), tuple(Finding.from_json(one) for one in seen["findings"]), told, curve,
                      Answer.from_json(told.get("answer")), readings)

    def _repr_html_(self) -> str:
        from lowtide._plot import plot

        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(readable(cell))}</td>"
                             for cell in (one.severity, one.title, one.where or "", one.holder or "")) + "</tr>"
            for one in self.problems)
        table = f"<table><tr><th></th><th>finding</th><th>where</th><th>holder</th></tr>{rows}</table>" if rows else ""
        first, *others = str(self.verdict if self.answer is None else self.answer).splitlines()
        below = "".join(f"<p><code>{html.escape(line.strip())}</code></p>" for line in others)
        shown = plot(self.curve, level=self.verdict.plateau_bytes)
        return f"<div><p><b>{html.escape(first)}</b></p>{below}{shown}{table}</div>"

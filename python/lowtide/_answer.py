"""The answer of a report: what happened, where, how fast, how sure, and what to change (`answer` in docs/json.md)."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Literal

from lowtide._text import readable

AnswerKind = Literal["leak", "bounded", "oom", "warmup", "spikes", "stable", "inconclusive"]


@dataclasses.dataclass(frozen=True)
class Answer:
    """One line for the whole job. `bounded`: growth with a known end. `oom`: the job ended for lack of memory."""

    kind: AnswerKind
    headline: str
    fix: str | None = None
    confidence: float | None = None
    variable: str | None = None
    file: str | None = None
    line: int | None = None
    source: str | None = None  # the text of the line; None if the file has changed or cannot be read
    raw: Mapping[str, Any] = dataclasses.field(default_factory=dict, repr=False, compare=False)

    @property
    def where(self) -> str | None:
        """`train.py:30`, or `cell [3], line 3` of a notebook."""
        return None if self.file is None else readable(f"{self.file}:{self.line}" if self.line else self.file)

    def __str__(self) -> str:
        lines = [readable(self.headline)]
        if self.where is not None and self.source:
            lines.append(f"  {self.where}  {readable(self.source)}")
        if self.fix:
            lines.append(f"  fix: {readable(self.fix)}")
        return "\n".join(lines)

    @staticmethod
    def from_json(answer: Any) -> Answer | None:
        """None for the report of a program that has no answer yet."""
        if not isinstance(answer, Mapping) or not answer.get("headline"):
            return None
        line = answer.get("line")
        line = line if isinstance(line, Mapping) else {}
        return Answer(kind=answer.get("kind", "inconclusive"), headline=str(answer["headline"]), fix=answer.get("fix") or None,
                      confidence=answer.get("confidence"), variable=answer.get("variable") or None,
                      file=line.get("file"), line=line.get("line"), source=line.get("source"), raw=answer)

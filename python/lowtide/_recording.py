"""lowtide.open(recording): a recorded run as a report and as tables."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsFloat
from urllib.parse import quote

from lowtide._command import ask
from lowtide._options import limit_flags
from lowtide._report import Report, Verdict

if TYPE_CHECKING:
    import pandas

_APPLICATION_ID = 1819244404  # "lowt"
_SCHEMA = 1
_VIEWS = {"target": "target_memory", "process": "process_memory", "cgroup": "cgroup_memory", "host": "host_memory",
          "gpu": "gpu_memory", "gpu_process": "gpu_process_memory", "heap": "heap_memory", "site": "site_memory"}


class Recording:
    """The file of a watched run, also while the run continues. `lowtide.open()` creates it."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        if not self.path.is_file():
            raise FileNotFoundError(f"lowtide: there is no recording {self.path}")

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(f"file:{quote(os.fsencode(self.path.resolve()))}?mode=ro", uri=True, timeout=5)
        try:
            mark, = connection.execute("PRAGMA application_id").fetchone()
            schema, = connection.execute("PRAGMA user_version").fetchone()
        except sqlite3.DatabaseError as error:
            connection.close()
            raise ValueError(f"lowtide: {self.path} is not a recording: {error}") from error
        if mark != _APPLICATION_ID or schema > _SCHEMA:
            connection.close()
            raise ValueError(f"lowtide: {self.path} is not a recording of lowtide" if mark != _APPLICATION_ID
                             else f"lowtide: {self.path} has schema {schema}; this version reads schema {_SCHEMA}")
        return connection

    def rows(self, question: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of an SQL query; docs/recording.md describes the tables."""
        connection = self._connect()
        try:
            return connection.execute(question, tuple(values)).fetchall()
        finally:
            connection.close()

    def frame(self, question: str) -> pandas.DataFrame:
        """The result of an SQL query as a DataFrame; needs pandas."""
        import pandas

        connection = self._connect()
        try:
            return pandas.read_sql_query(question, connection)
        finally:
            connection.close()

    def memory(self, of: str = "target") -> pandas.DataFrame:
        """Readings over time of "target" (the process tree, shared pages counted once), "process", "cgroup", "host", "gpu",
        "gpu_process", "heap" or "site"."""
        if of not in _VIEWS:
            raise ValueError(f"lowtide: there are no readings of {of!r}\n  why:  they are of one of {', '.join(_VIEWS)}\n"
                             '  try:  memory("process")')
        return self.frame(f"SELECT * FROM {_VIEWS[of]} ORDER BY at_s")

    @property
    def processes(self) -> pandas.DataFrame:
        return self.frame("SELECT * FROM process ORDER BY id")

    @property
    def events(self) -> pandas.DataFrame:
        return self.frame("SELECT * FROM event ORDER BY at_s")

    @property
    def meta(self) -> dict[str, str]:
        return {str(key): str(value) for key, value in self.rows("SELECT key, value FROM meta")}

    def report(self, limit: str | SupportsFloat | None = None) -> Report:
        """Verdict and findings, as `lowtide report` prints them."""
        report = json.loads(ask(["report", "--json", *limit_flags(limit), str(self.path)]))
        (readings,), = self.rows("SELECT sum(count) FROM target_memory")
        return Report.from_json(report, self._curve(), readings)

    def verdict(self) -> Verdict:
        return self.report().verdict

    def text(self, width: int = 100) -> str:
        """The report as the command prints it."""
        return ask(["report", "--color", "never", "--width", str(width), str(self.path)])

    def _curve(self) -> list[tuple[float, float]]:
        return [(float(at_s), float(low)) for at_s, low in self.rows("SELECT at_s, low_bytes FROM target_memory ORDER BY at_s")]

    def __repr__(self) -> str:
        return f"<lowtide.Recording {self.path}>"

    def _repr_html_(self) -> str:
        return self.report()._repr_html_()


def open(recording: str | os.PathLike[str]) -> Recording:
    """The recording of a run: `.report()`, `.verdict()`, `.memory("process")` and other DataFrames."""
    opened = Recording(recording)
    opened._connect().close()
    return opened

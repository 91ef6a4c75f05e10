"""Reads a recording while the monitor writes it. The connection opens at the first query; a query takes some tens of
microseconds. If anything fails, there is no answer, and nothing else happens."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import sqlite3


class LiveRecording:
    def __init__(self, path: str) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None

    def _row(self, question: str) -> tuple[Any, ...] | None:
        try:
            connection = self._connection
            if connection is None:
                import sqlite3
                from urllib.parse import quote

                # A trainer may call from any of its threads, one at a time.
                connection = sqlite3.connect(f"file:{quote(os.fsencode(self._path))}?mode=ro", uri=True, timeout=0.05,
                                             check_same_thread=False, isolation_level=None)
                connection.execute("PRAGMA cache_size=16")  # pages; the queries are small
                self._connection = connection
            row: tuple[Any, ...] | None = connection.execute(question).fetchone()
            return row
        except Exception:  # also if Python has no sqlite3
            self.close()
            return None

    def tree_bytes(self) -> int | None:
        row = self._row("SELECT bytes FROM target_sample ORDER BY id DESC LIMIT 1")
        return None if row is None or row[0] is None else int(row[0])

    def now_s(self) -> float | None:
        """The time of the last reading, in seconds from the start of the recording."""
        row = self._row("SELECT at_s FROM target_sample ORDER BY id DESC LIMIT 1")
        return None if row is None or row[0] is None else float(row[0])

    def snapshot_s(self) -> float:
        """The time of the last snapshot. It is recorded some time after it was taken."""
        row = self._row("SELECT max(at_s) FROM snapshot")
        return -1.0 if row is None or row[0] is None else float(row[0])

    def judgement(self) -> dict[str, Any] | None:
        """The latest verdict of the monitor."""
        names = ("kind", "confidence", "reason", "rate_bytes", "axis", "limit_kind", "limit_bytes", "limit_step", "limit_s",
                 "at_s")
        row = self._row(f"SELECT {', '.join(names)} FROM judgement ORDER BY id DESC LIMIT 1")
        return None if row is None else dict(zip(names, row))

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            try:
                connection.close()
            except Exception:  # another thread may use it
                pass

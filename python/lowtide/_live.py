"""Reading a recording while the monitor writes it: one connection, opened when first asked, some tens of microseconds a
question. Everything that can go wrong here means only that there is no answer."""

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

                # A trainer may ask from any of its threads, one at a time.
                connection = sqlite3.connect(f"file:{quote(os.fsencode(self._path))}?mode=ro", uri=True, timeout=0.05,
                                             check_same_thread=False, isolation_level=None)
                connection.execute("PRAGMA cache_size=16")  # pages: ours is a visit, not a stay
                self._connection = connection
            row: tuple[Any, ...] | None = connection.execute(question).fetchone()
            return row
        except Exception:  # also where Python has no sqlite3
            self.close()
            return None

    def tree_bytes(self) -> int | None:
        row = self._row("SELECT bytes FROM target_sample ORDER BY id DESC LIMIT 1")
        return None if row is None or row[0] is None else int(row[0])

    def now_s(self) -> float | None:
        """The time of the recording, at its last tick."""
        row = self._row("SELECT at_s FROM target_sample ORDER BY id DESC LIMIT 1")
        return None if row is None or row[0] is None else float(row[0])

    def looked_s(self) -> float:
        """When the last look at all objects was taken; it comes some time later."""
        row = self._row("SELECT max(at_s) FROM snapshot")
        return -1.0 if row is None or row[0] is None else float(row[0])

    def judgement(self) -> dict[str, Any] | None:
        """What the monitor thought last."""
        names = ("kind", "confidence", "reason", "rate_bytes", "axis", "limit_kind", "limit_bytes", "limit_step", "limit_s",
                 "at_s")
        row = self._row(f"SELECT {', '.join(names)} FROM judgement ORDER BY id DESC LIMIT 1")
        return None if row is None else dict(zip(names, row))

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            try:
                connection.close()
            except Exception:  # another thread may be at it
                pass

"""What lowtide says in somebody's training: few words, each once, and never an exception (`-W error` would make one of
a warning, so these go through logging)."""

from __future__ import annotations

import logging

_log = logging.getLogger("lowtide")
_told: set[str] = set()


def warn_once(text: str) -> None:
    if text not in _told:
        _told.add(text)
        _log.warning("%s", text)

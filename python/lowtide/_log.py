"""Messages of lowtide in a training job: each once, and never an exception. They use `logging`, because `-W error` turns
a warning into an exception."""

from __future__ import annotations

import logging

_log = logging.getLogger("lowtide")
_logged: set[str] = set()


def warn_once(text: str) -> None:
    if text not in _logged:
        _logged.add(text)
        _log.warning("%s", text)

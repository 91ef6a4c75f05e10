"""Every function of a file whose name does not begin with an underscore is a test.

usage of such a file: FILE [--list | OPTIONS [--rounds N] [NAME...]]
"""

from __future__ import annotations

import argparse
import inspect
import pathlib
import re
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from typing import Any

Test = Callable[..., object]
Run = Callable[[Any, argparse.Namespace], object]

SKIPPED = 77


class Skip(Exception):
    """What this machine lacks."""


def is_sanitized(binary: str | pathlib.Path) -> bool:
    # Not __asan_init: lowtide looks for that in others, and has its name.
    return re.search(rb"__asan_report_load8|__tsan_write8", pathlib.Path(binary).read_bytes()) is not None


def main(module: Mapping[str, Any], run: Run, **options: Callable[[str], Any]) -> None:
    """Calls `run(test, words)` for the functions of the module, in their order; `options` are names and types."""
    tests: dict[str, Test] = {
        name: thing for name, thing in module.items()
        if inspect.isfunction(thing) and thing.__module__ == "__main__" and not name.startswith("_")
    }
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--rounds", type=int, default=20)
    for name, kind in options.items():
        parser.add_argument(f"--{name}", type=kind)
    parser.add_argument("names", nargs="*")
    words = parser.parse_args()
    if words.list:
        print("\n".join(tests))
        return
    for name in options:
        if getattr(words, name) is None:
            parser.error(f"--{name} is needed to run tests")
    counts = {"ok": 0, "failed": 0, "skipped": 0}
    for name in words.names or tests:
        began = time.monotonic()
        result = _result_of(run, tests[name], words)
        counts[result] += 1
        print(f"{result:8}{name}  {time.monotonic() - began:.1f} s", flush=True)
    print(f"{counts['ok']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    if counts["failed"]:
        sys.exit(1)
    sys.exit(SKIPPED if counts["skipped"] and not counts["ok"] else 0)


def _result_of(run: Run, test: Test, words: argparse.Namespace) -> str:
    try:
        run(test, words)
    except Skip as why:
        print(f"SKIPPED {test.__name__}: {why}")
        return "skipped"
    except Exception:
        traceback.print_exc()
        return "failed"
    return "ok"

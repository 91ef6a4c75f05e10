"""The program `lowtide`: how to find it and how to call it.

A wheel installs it into `bin` of the environment, and the agent into `lib/lowtide` beside it, where the program expects it.
So the command that people type is the program itself, without a Python wrapper.
"""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path

_LONGEST_ANSWER_S = 120


class CommandMissing(Exception):
    """The program was not found. The message lists where, and what to try."""


class CommandFailed(Exception):
    """The program failed. The message is its error output."""


def _places() -> Iterator[Path]:
    named = os.environ.get("LOWTIDE_COMMAND")
    if named:
        yield Path(named)
        return
    yield Path(sysconfig.get_path("scripts")) / "lowtide"
    # pip install --target DIR, and environments that were assembled by hand.
    package = Path(__file__).resolve().parent
    yield package.parent / "bin" / "lowtide"
    if package.parent.name in ("site-packages", "dist-packages"):
        yield package.parents[3] / "bin" / "lowtide"
    user = f"{os.name}_user"
    if user in sysconfig.get_scheme_names():
        yield Path(sysconfig.get_path("scripts", user)) / "lowtide"
    yield Path(sys.executable).parent / "lowtide"
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        if folder:
            yield Path(folder) / "lowtide"


def _is_program(path: Path) -> bool:
    """A script of that name belongs to another package, or would call this module again."""
    try:
        with path.open("rb") as file:
            return os.access(path, os.X_OK) and file.read(4) == b"\x7fELF"
    except OSError:
        return False


@functools.lru_cache(maxsize=8)
def _found(_named: str | None, _path: str | None) -> str | None:
    return next((str(path) for path in _places() if _is_program(path)), None)


def find_command() -> str:
    """The path of the program. The environment variable LOWTIDE_COMMAND overrides it."""
    named = os.environ.get("LOWTIDE_COMMAND")
    found = _found(named, os.environ.get("PATH"))
    if found is None:
        raise CommandMissing(
            "lowtide: cannot find the program lowtide\n"
            + (f"  why:  LOWTIDE_COMMAND is {named}, which is not an executable program\n" if named
               else "  why:  it is neither in bin of this environment nor in PATH; a checkout has to be built first\n")
            + "  try:  pip install lowtide, or LOWTIDE_COMMAND=/path/to/lowtide")
    return found


def clean_environment() -> dict[str, str]:
    """The environment for the program, without the agent that is preloaded into the job."""
    return {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "LOWTIDE_AGENT_SOCKET")}


def ask(arguments: Sequence[str], fine: Sequence[int] = (0, 1, 4), text: str | None = None) -> str:
    """The output of the program. Raises CommandMissing or CommandFailed."""
    command = find_command()
    try:
        done = subprocess.run([command, *arguments], input=text, stdin=None if text is not None else subprocess.DEVNULL,
                              capture_output=True, encoding="utf-8", errors="replace", env=clean_environment(),
                              timeout=_LONGEST_ANSWER_S)
    except (OSError, subprocess.SubprocessError) as error:
        raise CommandFailed(f"lowtide {arguments[0]}: {error}") from error
    if done.returncode not in fine:
        raise CommandFailed(done.stderr.strip() or f"lowtide {arguments[0]} ended with status {done.returncode}")
    return done.stdout

"""The monitor: `lowtide attach` on this process, in a process of its own.

It is a child of the job, and so needs two things that a stranger would not. Where Yama is on (ptrace_scope 1) only
ancestors may enter a process: the job says once that its child may (PR_SET_PTRACER), and no root is needed. And it must
not hear what the terminal says to the job: it gets a session of its own. When the job ends, however it ends, the
monitor sees that, closes the recording and goes.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from typing import IO

from lowtide._command import clean_environment

_LONGEST_START_S = 10.0
_LONGEST_END_S = 20.0
_PR_SET_PTRACER = 0x59616D61


def _let_enter(pid: int) -> None:
    """The process and what it starts may look into this one. Where Yama is not there the kernel says no, and is right."""
    try:
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PTRACER, ctypes.c_ulong(pid), 0, 0, 0)
    except (ImportError, OSError, AttributeError):
        pass


class Monitor:
    """A running `lowtide attach`. Started by `start`; `words` is what it has said so far."""

    def __init__(self, process: subprocess.Popen[bytes], said: IO[bytes], deep: bool) -> None:
        self._process = process
        self._said = said
        self.deep = deep

    @staticmethod
    def start(command: str, recording: str, *, deep: bool, options: Sequence[str] = ()) -> Monitor:
        """Returns when it watches, or has given up: ask `is_alive`. Raises OSError where it cannot be started."""
        if deep:
            _let_enter(os.getpid())  # its pid is not known before it is there
        said = tempfile.TemporaryFile()
        try:
            process = subprocess.Popen(
                [command, "attach", "--output", recording, "--no-status", "--no-report", *(["--deep"] if deep else []),
                 *options, str(os.getpid())],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said, start_new_session=True,
                env=clean_environment(), cwd=os.path.dirname(recording))
        except OSError:
            said.close()
            raise
        if deep:
            _let_enter(process.pid)
        monitor = Monitor(process, said, deep)
        ends = time.monotonic() + _LONGEST_START_S
        while monitor.is_alive() and "lowtide: watching" not in monitor.words() and time.monotonic() < ends:
            time.sleep(0.005)
        return monitor

    def words(self) -> str:
        try:
            return os.pread(self._said.fileno(), 65536, 0).decode(errors="replace")
        except (OSError, ValueError):
            return ""

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def ask_look(self) -> None:
        """A look at all objects of the job, as soon as the monitor comes to it."""
        self._signal(signal.SIGUSR2)

    def end(self) -> None:
        """The monitor lets go of the job and closes the recording."""
        if self.is_alive():
            self._signal(signal.SIGINT)
            try:
                self._process.wait(_LONGEST_END_S)
            except subprocess.TimeoutExpired:
                self._process.kill()  # the agent goes quiet without it, and the recording is whole up to here
                self._process.wait()
        self._said.close()

    def forget(self) -> None:
        """In a forked child: it is the parent's."""
        self._process.returncode = 0

    def _signal(self, number: int) -> None:
        try:
            self._process.send_signal(number)
        except OSError:
            pass

"""The monitor: `lowtide attach` on this process, as a child process.

A child of the job needs two things. With Yama (kernel.yama.ptrace_scope 1) only ancestors may attach to a process: the job
permits its child once (PR_SET_PTRACER), so root is not needed. And signals of the terminal, such as Ctrl-C, must not reach
the monitor: it has its own session. When the job ends for any reason, the monitor closes the recording and exits.
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
    """Permits the process and its children to attach to this one. Without Yama the kernel refuses the call, and it is not
    needed."""
    try:
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PTRACER, ctypes.c_ulong(pid), 0, 0, 0)
    except (ImportError, OSError, AttributeError):
        pass


class Monitor:
    """A running `lowtide attach`. `start` starts it; `output` is what it has printed."""

    def __init__(self, process: subprocess.Popen[bytes], printed: IO[bytes], deep: bool) -> None:
        self._process = process
        self._printed = printed
        self.deep = deep

    @staticmethod
    def start(command: str, recording: str, *, deep: bool, options: Sequence[str] = ()) -> Monitor:
        """Returns when the monitor watches or has given up: check `is_alive`. Raises OSError if it cannot be started."""
        if deep:
            _let_enter(os.getpid())  # its pid is unknown until it runs
        printed = tempfile.TemporaryFile()
        try:
            process = subprocess.Popen(
                [command, "attach", "--output", recording, "--no-status", "--no-report", *(["--deep"] if deep else []),
                 *options, str(os.getpid())],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=printed, start_new_session=True,
                env=clean_environment(), cwd=os.path.dirname(recording))
        except OSError:
            printed.close()
            raise
        if deep:
            _let_enter(process.pid)
        monitor = Monitor(process, printed, deep)
        ends = time.monotonic() + _LONGEST_START_S
        while monitor.is_alive() and "lowtide: watching" not in monitor.output() and time.monotonic() < ends:
            time.sleep(0.005)
        return monitor

    def output(self) -> str:
        try:
            return os.pread(self._printed.fileno(), 65536, 0).decode(errors="replace")
        except (OSError, ValueError):
            return ""

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def request_snapshot(self) -> None:
        """Asks the monitor for a snapshot of the Python heap."""
        self._signal(signal.SIGUSR2)

    def end(self) -> None:
        """Detaches the monitor from the job and closes the recording."""
        if self.is_alive():
            self._signal(signal.SIGINT)
            try:
                self._process.wait(_LONGEST_END_S)
            except subprocess.TimeoutExpired:
                self._process.kill()  # the agent stops without it, and the recording stays readable
                self._process.wait()
        self._printed.close()

    def forget(self) -> None:
        """In a forked child: the monitor belongs to the parent."""
        self._process.returncode = 0

    def _signal(self, number: int) -> None:
        try:
            self._process.send_signal(number)
        except OSError:
            pass

"""lowtide.watch(): one line in a script starts a monitor outside of its process.

A watch must not break a training. If the program, a permission or a writable folder is missing, one message is logged, the
training continues, and all answers are "nothing was watched".
"""

from __future__ import annotations

import atexit
import math
import os
import sys
import tempfile
import time
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING, Any, SupportsFloat

import lowtide
from lowtide._command import CommandFailed, CommandMissing, ask, find_command
from lowtide._log import warn_once
from lowtide._options import check_recording, interval_flags, limit_flags
from lowtide._report import Report, Verdict

if TYPE_CHECKING:
    from lowtide._live import LiveRecording
    from lowtide._monitor import Monitor

_LONGEST_SNAPSHOT_S = 60.0  # a million objects take some seconds on an idle machine
_LONGEST_WAKING_S = 1.0
_REQUEST_LAPSES_S = 3.0  # a snapshot that has not begun by then will not begin; it is requested again
_MOST_REQUESTS = 4
_WATCHED = "LOWTIDE_WATCHED"  # the pid that has a watch; its children inherit the variable
_current: Watch | None = None


def _is_helper() -> bool:
    """True in a spawned worker of a watched job: it imports the script again, and so calls watch() again. A rank that was
    spawned by an unwatched parent is not a helper."""
    multiprocessing = sys.modules.get("multiprocessing.process")
    watcher = os.environ.get(_WATCHED, "")
    if multiprocessing is None or not os.path.exists(f"/proc/{watcher or 'none'}"):
        return False
    # While a worker imports the script, its parent is not set yet; `_inheriting` is what multiprocessing itself checks.
    return multiprocessing.parent_process() is not None or getattr(multiprocessing.current_process(), "_inheriting", False)


def _parent_of(pid: int) -> int:
    with open(f"/proc/{pid}/stat", "rb") as file:
        return int(file.read().rpartition(b")")[2].split()[1])


def _find_outer_recording() -> str | None:
    """The recording of the `lowtide run` that started this process: the file that its monitor has open."""
    if "LOWTIDE_AGENT_SOCKET" not in os.environ and not hasattr(sys, "_lowtide"):
        return None
    try:
        pid = os.getppid()
        while pid > 1:
            if os.path.basename(os.readlink(f"/proc/{pid}/exe")) == "lowtide":
                files = (os.readlink(f"/proc/{pid}/fd/{name}") for name in os.listdir(f"/proc/{pid}/fd"))
                return next((name[:-len("-wal")] for name in files if name.endswith("-wal")), None)
            pid = _parent_of(pid)
    except (OSError, ValueError):
        pass
    return None


def _rank() -> str:
    """"-rank3" if a launcher set a rank; each rank writes its own file."""
    ranks = (os.environ.get(name, "") for name in ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK"))
    return next((f"-rank{rank}" for rank in ranks if rank.isdigit()), "")


def _choose_recording(wanted: str | os.PathLike[str] | None) -> str:
    if wanted is not None:
        stem, suffix = os.path.splitext(os.path.abspath(os.fspath(wanted)))
        return stem + _rank() + suffix
    name = time.strftime("lowtide-%Y%m%d-%H%M%S") + f"{_rank()}-{os.getpid()}.lowtide"
    here = os.getcwd()
    return os.path.join(here if os.access(here, os.W_OK) else tempfile.gettempdir(), name)


class Watch:
    """A job that is or was watched. `lowtide.watch()` creates it."""

    def __init__(self, recording: str | None, monitor: Monitor | None, why_not: str | None, quiet: bool,
                 outer: Watch | None = None) -> None:
        self.recording = recording
        self._monitor = monitor
        self._outer = outer  # the watch whose monitor this one uses
        self._why_not = why_not
        self._quiet = quiet
        self._owner = os.getpid()
        self._is_started_here = monitor is not None
        self._live: LiveRecording | None = None
        self._is_over = False

    # For the training loop: cheap.

    def step(self, number: int | None = None) -> None:
        """Counts one step; `number` sets the step instead."""
        lowtide.step(number)

    def phase(self, name: str) -> AbstractContextManager[Any]:
        """A context manager: the code inside it is the phase `name`."""
        return lowtide.phase(name)

    @property
    def is_on(self) -> bool:
        """True while a monitor runs: that of this watch, of an outer watch, or of `lowtide run`."""
        if os.getpid() != self._owner or self.recording is None or self._is_over:
            return False
        if self._outer is not None:
            return self._outer.is_on
        return self._monitor is None or self._monitor.is_alive()

    @property
    def is_own(self) -> bool:
        """True if this watch started its monitor; False if it uses that of an outer watch or of `lowtide run`."""
        return self._is_started_here

    def now_s(self) -> float:
        """The time of the last reading, in seconds from the start of the recording."""
        live = self._reader()
        return (live.now_s() if live is not None else None) or 0.0

    def tree_bytes(self) -> int | None:
        """The memory of the process tree at the last reading, shared pages counted once (PSS); None without a monitor."""
        live = self._reader() if self.is_on else None
        return None if live is None else live.tree_bytes()

    def judgement(self) -> dict[str, Any] | None:
        """The monitor's latest verdict: `kind`, `confidence`, `reason`, `limit_step`. It is cheap enough for a loop;
        `verdict()` uses all the evidence and takes longer."""
        live = self._reader()
        return None if live is None else live.judgement()

    # For the script.

    def verdict(self) -> Verdict:
        """The verdict on the job, during it or after it."""
        return self.report().verdict

    def report(self) -> Report:
        """The verdict with findings and evidence, during the job or after it."""
        if self.recording is None:
            return Report(Verdict.unknown(f"nothing was watched: {self._why_not}"))
        from lowtide._recording import Recording

        try:
            return Recording(self.recording).report()
        except Exception as error:  # a report must not break a training
            return Report(Verdict.unknown(f"the recording cannot be read: {(str(error).splitlines() or [type(error).__name__])[0]}"))

    def snapshot(self) -> bool:
        """Takes a snapshot of the Python heap now; returns False if none could be taken. The process forks, and this call
        waits until the snapshot is recorded: do not call it in the inner loop."""
        if self._outer is not None:
            return self._outer.snapshot()
        monitor = self._monitor
        if monitor is None or not monitor.deep or not self.is_on:
            return False
        return self._take_snapshot(monitor)

    look = snapshot  # its name before 0.1.0

    def stop(self, *, snapshot: bool = True) -> None:
        """Takes a last snapshot (unless `snapshot` is False), detaches the monitor and closes the recording. A watch
        inside another watch does not stop that one's monitor."""
        global _current
        if self._outer is not None:
            self._is_over = True
            return
        if _current is self:
            _current = None
        monitor, self._monitor = self._monitor, None
        if monitor is None:
            return
        self._is_over = True
        if os.getpid() != self._owner:
            monitor.forget()
            return
        os.environ.pop(_WATCHED, None)
        if snapshot and monitor.deep and monitor.is_alive():
            self._take_snapshot(monitor)
        if self._live is not None:  # before the monitor, because the last one that closes removes the write-ahead log
            self._live.close()
            self._live = None
        monitor.end()

    def _take_snapshot(self, monitor: Monitor) -> bool:
        live = self._reader()
        if live is None:
            return False
        began = time.monotonic()
        # On a busy machine the first reading may come later than this.
        while (asked_s := live.now_s()) is None:
            if not monitor.is_alive() or time.monotonic() - began > _LONGEST_SNAPSHOT_S:
                return False
            time.sleep(0.01)
        before_s = live.snapshot_s()
        # On a busy machine the last reading may be older than the previous snapshot.
        after_s = max(asked_s, math.nextafter(before_s, math.inf))
        requests = 0
        while live.snapshot_s() < after_s and monitor.is_alive() and time.monotonic() - began < _LONGEST_SNAPSHOT_S:
            if time.monotonic() - began >= requests * _REQUEST_LAPSES_S and not (requests and _is_snapshot_running()):
                if requests == _MOST_REQUESTS:
                    return False  # the monitor takes none if memory is short
                monitor.request_snapshot()
                requests += 1
            bytearray(1 << 20)  # the agent acts at a sampled allocation, and nothing else allocates here
            time.sleep(0.01 if time.monotonic() - began < requests * _REQUEST_LAPSES_S else 0.2)
        return live.snapshot_s() >= after_s

    def _reader(self) -> LiveRecording | None:
        if self.recording is None or os.getpid() != self._owner:
            return None
        if self._live is None:
            from lowtide._live import LiveRecording

            self._live = LiveRecording(self.recording)
        return self._live

    def _at_exit(self) -> None:
        if self._monitor is None or os.getpid() != self._owner:
            return
        self.stop()
        if self._quiet or self.recording is None or sys.stderr is None:
            return
        try:
            text = ask(["report", "--quiet", "--color", "never", self.recording])
        except (CommandFailed, CommandMissing):
            return
        print(f"{text.rstrip()}\nrecording: {self.recording}   (lowtide report {self.recording})", file=sys.stderr)

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<lowtide.Watch {self.recording or 'off: ' + str(self._why_not)}>"

    def _repr_html_(self) -> str:
        return self.report()._repr_html_()


def _is_snapshot_running() -> bool:
    """A forked copy of this process counts its objects. It is not a child of this process."""
    mine = os.readlink("/proc/self/exe")
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/comm", "rb") as file:
                if file.read() == b"lowtide-walk\n" and os.readlink(f"/proc/{name}/exe") == mine:
                    return True
        except OSError:
            pass
    return False


def _nothing(why: str, *, warn: bool = True) -> Watch:
    if warn:
        warn_once(f"lowtide: this job is not watched: {why}")
    return Watch(None, None, why.splitlines()[0], True)


def _last_lines(output: str) -> str:
    lines = [line for line in output.splitlines() if line.strip()]
    return "\n".join(lines[-3:]) or "the monitor ended without a message"


def _start(recording: str, deep: bool, options: list[str], quiet: bool) -> Watch:
    from lowtide._monitor import Monitor

    command = find_command()
    monitor = Monitor.start(command, recording, deep=deep, options=options)
    if deep and not monitor.is_alive():
        message = _last_lines(monitor.output())
        monitor.end()
        monitor = Monitor.start(command, recording, deep=False, options=options)
        if monitor.is_alive():
            warn_once(f"lowtide: this job is watched from outside only, without lines and variables:\n{message}")
    if not monitor.is_alive() or not os.path.exists(recording):
        message = _last_lines(monitor.output())
        monitor.end()
        return _nothing(message)
    if monitor.deep:
        _wake_agent()
    return Watch(recording, monitor, None, quiet)


def _wake_agent() -> None:
    """The agent enters the interpreter at a sampled allocation (one per half a MB) after the monitor has requested it. From
    then on it receives steps."""
    ends = time.monotonic() + _LONGEST_WAKING_S
    while not hasattr(sys, "_lowtide") and time.monotonic() < ends:
        bytearray(1 << 20)
        time.sleep(0.005)


def current() -> Watch | None:
    """The active watch of this process."""
    return _current if _current is not None and _current.is_on else None


def watch(recording: str | os.PathLike[str] | None = None, *, deep: bool = True,
          interval: str | SupportsFloat | None = None, limit: str | SupportsFloat | None = None,
          quiet: bool = False) -> Watch:
    """Watches this process and its children from outside, until the end of the job, `stop()` or the end of a `with`.

    recording   the file to write; default lowtide-TIME-PID.lowtide in the working directory
    deep        also load the agent into this process, for allocation lines and holding variables
    interval    time between two readings: "500ms", or a number of seconds; default 250 ms, later 1 s
    limit       the memory limit of the forecast: "32GB", or a number of bytes; default the cgroup's limit or the machine
    quiet       print nothing at the end of the job

    Under `lowtide run` no second monitor starts: the answers come from the existing one. A wrong argument raises
    ValueError or TypeError. Any other failure is logged, and the job runs unwatched.
    """
    global _current
    flags = [*interval_flags(interval), *limit_flags(limit)]
    check_recording(recording)
    if _is_helper():
        return _nothing("this is a worker, and its whole job is watched already", warn=False)
    if _current is not None and _current.is_on:
        return Watch(_current.recording, None, None, True, outer=_current)
    outer = _find_outer_recording()
    if outer is not None:
        _current = Watch(outer, None, None, True)
        return _current
    try:
        watched = _start(_choose_recording(recording), deep, flags, quiet)
    except CommandMissing as missing:
        return _nothing(str(missing))
    except Exception as error:  # a watch must not break a training
        return _nothing(f"{type(error).__name__}: {error}")
    if watched.recording is not None:
        _current = watched
        os.environ[_WATCHED] = str(os.getpid())
        atexit.register(watched._at_exit)
    return watched

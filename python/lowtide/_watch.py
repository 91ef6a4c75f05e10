"""lowtide.watch(): a monitor outside of this process, started by one line in it.

Nothing here may break a training: whatever is missing (the program, rights, a place to write) is said once, by logging,
and everything else answers "nothing was watched".
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

_LONGEST_LOOK_S = 60.0  # a million objects take some seconds, on a machine that has them to spare
_LONGEST_WAKING_S = 1.0
_LAPSES_S = 3.0  # a look that has not begun by then does not, on a machine that is busy, and is asked for again
_MOST_REQUESTS = 4
_WATCHED = "LOWTIDE_WATCHED"  # the process that has a watch of its own and whatever it starts
_current: Watch | None = None


def _is_helper() -> bool:
    """A worker that was spawned imports the script again, and comes by its watch() again: then its job is watched as a
    whole. A rank that was spawned by a parent which watches nothing is none."""
    multiprocessing = sys.modules.get("multiprocessing.process")
    watcher = os.environ.get(_WATCHED, "")
    if multiprocessing is None or not os.path.exists(f"/proc/{watcher or 'none'}"):
        return False
    # While it imports the script it does not know its parent yet; `_inheriting` is what multiprocessing itself asks.
    return multiprocessing.parent_process() is not None or getattr(multiprocessing.current_process(), "_inheriting", False)


def _parent_of(pid: int) -> int:
    with open(f"/proc/{pid}/stat", "rb") as file:
        return int(file.read().rpartition(b")")[2].split()[1])


def _find_outer_recording() -> str | None:
    """The recording of a `lowtide run` that started this process: what its monitor has open."""
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
    """"-rank3" where a launcher says that this is one of several; each of them writes a file of its own."""
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
    """A job that is being watched, or was. Made by `lowtide.watch()`."""

    def __init__(self, recording: str | None, monitor: Monitor | None, why_not: str | None, quiet: bool,
                 outer: Watch | None = None) -> None:
        self.recording = recording
        self._monitor = monitor
        self._outer = outer  # of a watch within a watch: whose monitor it is
        self._why_not = why_not
        self._quiet = quiet
        self._owner = os.getpid()
        self._is_started_here = monitor is not None
        self._live: LiveRecording | None = None
        self._is_over = False

    # The loop's side: cheap.

    def step(self, number: int | None = None) -> None:
        """One step more; or the step's own number."""
        lowtide.step(number)

    def phase(self, name: str) -> AbstractContextManager[Any]:
        """A context: what runs in it is the phase of that name."""
        return lowtide.phase(name)

    @property
    def is_on(self) -> bool:
        """Somebody watches, this watch's own monitor or the `lowtide run` around the job."""
        if os.getpid() != self._owner or self.recording is None or self._is_over:
            return False
        if self._outer is not None:
            return self._outer.is_on
        return self._monitor is None or self._monitor.is_alive()

    @property
    def is_own(self) -> bool:
        """Started here; else the watch, or the `lowtide run`, was there before."""
        return self._is_started_here

    def now_s(self) -> float:
        """The time of the recording, at its last tick."""
        live = self._reader()
        return (live.now_s() if live is not None else None) or 0.0

    def tree_bytes(self) -> int | None:
        """The memory of this process and all below it, shared pages once, at the monitor's last look; None where nobody
        watches any more."""
        live = self._reader() if self.is_on else None
        return None if live is None else live.tree_bytes()

    def judgement(self) -> dict[str, Any] | None:
        """What the monitor thinks so far: `kind`, `confidence`, `reason`, `limit_step`. For a loop that wants to know
        now; `verdict()` asks all the evidence."""
        live = self._reader()
        return None if live is None else live.judgement()

    # The user's side.

    def verdict(self) -> Verdict:
        """The verdict of the job, now or after its end."""
        return self.report().verdict

    def report(self) -> Report:
        """Verdict, findings and all the rest, now or after the end."""
        if self.recording is None:
            return Report(Verdict.unknown(f"nothing was watched: {self._why_not}"))
        from lowtide._recording import Recording

        try:
            return Recording(self.recording).report()
        except Exception as error:  # nothing of it is worth a training
            return Report(Verdict.unknown(f"the recording cannot be read: {(str(error).splitlines() or [type(error).__name__])[0]}"))

    def look(self) -> bool:
        """A look at all objects of this process, now; False where nobody could take one. The process stands still for
        a fork of it, and waits here for the monitor to come to it: not for the inner loop."""
        if self._outer is not None:
            return self._outer.look()
        monitor = self._monitor
        if monitor is None or not monitor.deep or not self.is_on:
            return False
        return self._look(monitor)

    def stop(self, *, look: bool = True) -> None:
        """The monitor takes a last look, lets go of this process and closes the recording. A watch within a watch ends
        nothing but itself."""
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
        if look and monitor.deep and monitor.is_alive():
            self._look(monitor)
        if self._live is not None:  # before the monitor: who closes last puts the write-ahead log away
            self._live.close()
            self._live = None
        monitor.end()

    def _look(self, monitor: Monitor) -> bool:
        live = self._reader()
        if live is None:
            return False
        began = time.monotonic()
        # On a busy machine the first tick may come later than this.
        while (asked_s := live.now_s()) is None:
            if not monitor.is_alive() or time.monotonic() - began > _LONGEST_LOOK_S:
                return False
            time.sleep(0.01)
        before_s = live.looked_s()
        # On a busy machine the last tick may be older than the look before this one.
        after_s = max(asked_s, math.nextafter(before_s, math.inf))
        requests = 0
        while live.looked_s() < after_s and monitor.is_alive() and time.monotonic() - began < _LONGEST_LOOK_S:
            if time.monotonic() - began >= requests * _LAPSES_S and not (requests and _is_walked()):
                if requests == _MOST_REQUESTS:
                    return False  # the monitor takes none where memory is short
                monitor.ask_look()
                requests += 1
            bytearray(1 << 20)  # the agent comes to it with an allocation, and here nobody else allocates
            time.sleep(0.01 if time.monotonic() - began < requests * _LAPSES_S else 0.2)
        return live.looked_s() >= after_s

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
            words = ask(["report", "--quiet", "--color", "never", self.recording])
        except (CommandFailed, CommandMissing):
            return
        print(f"{words.rstrip()}\nrecording: {self.recording}   (lowtide report {self.recording})", file=sys.stderr)

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<lowtide.Watch {self.recording or 'of nothing: ' + str(self._why_not)}>"

    def _repr_html_(self) -> str:
        return self.report()._repr_html_()


def _is_walked() -> bool:
    """A copy of this process counts its objects; it is not our child."""
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


def _last_words(words: str) -> str:
    lines = [line for line in words.splitlines() if line.strip()]
    return "\n".join(lines[-3:]) or "the monitor ended without a word"


def _start(recording: str, deep: bool, options: list[str], quiet: bool) -> Watch:
    from lowtide._monitor import Monitor

    command = find_command()
    monitor = Monitor.start(command, recording, deep=deep, options=options)
    if deep and not monitor.is_alive():
        words = _last_words(monitor.words())
        monitor.end()
        monitor = Monitor.start(command, recording, deep=False, options=options)
        if monitor.is_alive():
            warn_once(f"lowtide: this job is watched from outside only, without lines and variables:\n{words}")
    if not monitor.is_alive() or not os.path.exists(recording):
        words = _last_words(monitor.words())
        monitor.end()
        return _nothing(words)
    if monitor.deep:
        _wake_agent()
    return Watch(recording, monitor, None, quiet)


def _wake_agent() -> None:
    """The agent comes to the interpreter with a sampled allocation, one in half a MB, once the monitor has asked for it:
    from then on it hears of steps."""
    ends = time.monotonic() + _LONGEST_WAKING_S
    while not hasattr(sys, "_lowtide") and time.monotonic() < ends:
        bytearray(1 << 20)
        time.sleep(0.005)


def current() -> Watch | None:
    """The watch that is on in this process."""
    return _current if _current is not None and _current.is_on else None


def watch(recording: str | os.PathLike[str] | None = None, *, deep: bool = True,
          interval: str | SupportsFloat | None = None, limit: str | SupportsFloat | None = None,
          quiet: bool = False) -> Watch:
    """Watches this process and all below it from outside, until the end of the job, `stop()` or the end of a `with`.

    recording   the file it goes to; default lowtide-TIME-PID.lowtide here
    deep        also let the agent into this process: lines that allocate, variables that hold
    interval    between two readings: "500ms", or seconds as a number; default 250ms, later 1s
    limit       forecast when this much is reached: "32GB", or bytes as a number; default the cgroup's limit or the machine
    quiet       no words at the end of the job

    Under `lowtide run` no second monitor is started: the answers come from the one that is there. A wrong argument raises
    ValueError or TypeError. Everything else that goes wrong is logged, and the job runs unwatched.
    """
    global _current
    flags = [*interval_flags(interval), *limit_flags(limit)]
    check_recording(recording)
    if _is_helper():
        return _nothing("a worker of a job that is watched as a whole", warn=False)
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
    except Exception as error:  # a watch is never worth a training
        return _nothing(f"{type(error).__name__}: {error}")
    if watched.recording is not None:
        _current = watched
        os.environ[_WATCHED] = str(os.getpid())
        atexit.register(watched._at_exit)
    return watched
